/** What signatures of fetched content are checked with. */

/** A commit in a bare repository, and the tag that led to it. */
export interface GitEvidence {
  readonly kind: 'git';
  /** The bare repository, in the temporary folder. */
  readonly repository: string;
  readonly commit: string;
  /** The object of an annotated tag. */
  readonly tag?: string;
}

/** A version of a package in a registry. */
export interface NpmEvidence {
  readonly kind: 'npm';
  readonly name: string;
  readonly version: string;
  /** Of the tarball, whose bytes have been checked against it. */
  readonly integrity: string;
  /** Ends with `/`. */
  readonly registry: string;
  /** `dist` in the registry's document, unchecked: it may have `signatures` and `attestations`. */
  readonly dist: Readonly<Record<string, unknown>>;
}

export type Evidence = GitEvidence | NpmEvidence;

/** Who signed, as recorded in the lock. Two are the same signer if all fields are equal. */
export interface Signer {
  /** How it was checked, such as `sigstore` or `ssh`. */
  readonly method: string;
  /** Who: an identity of a certificate, or the fingerprint of a key. */
  readonly identity: string;
  /** Who vouches for the identity, such as the issuer of a certificate. */
  readonly issuer?: string;
}
