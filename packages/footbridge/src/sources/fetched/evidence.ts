/** The evidence that signatures of fetched content are checked with. */

/** A commit in a bare repository, and the tag that led to it. */
export interface GitEvidence {
  readonly kind: 'git';
  /** The bare repository, in the temporary folder. */
  readonly repository: string;
  readonly commit: string;
  /** Whether it has a signature, which may not be valid. */
  readonly isCommitSigned: boolean;
  /** The object of an annotated tag. */
  readonly tag?: { readonly id: string; readonly name: string; readonly isSigned: boolean };
  /** The requested tag, without `refs/tags/`. */
  readonly wantedTag?: string | undefined;
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

/** A signature of an OCI artifact: a Sigstore bundle, or cosign's older form. Unverified. */
export type OciSignature =
  | { readonly form: 'bundle'; readonly bundle: Readonly<Record<string, unknown>> }
  | { readonly form: 'simple'; readonly payload: Uint8Array; readonly annotations: Readonly<Record<string, unknown>> };

/** An artifact of an OCI registry. */
export interface OciEvidence {
  readonly kind: 'oci';
  /** Of the manifest, whose bytes have been checked against it. */
  readonly digest: string;
  readonly signatures: readonly OciSignature[];
}

export type Evidence = GitEvidence | NpmEvidence | OciEvidence;

/** Who signed, as recorded in the lock. Two are the same signer if all fields are equal. */
export interface Signer {
  /** How it was checked, such as `sigstore` or `ssh`. */
  readonly method: string;
  /** Who: an identity of a certificate, or the fingerprint of a key. */
  readonly identity: string;
  /** The issuer of the certificate. */
  readonly issuer?: string;
}
