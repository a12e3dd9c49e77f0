/** Checks Sigstore bundles: the certificate, the transparency log and the signature. Loaded only if there is one. */
import { resolve } from 'node:path';
import { bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { echo, reasonOf } from '../../../errors.js';
import { isFields, parseJson } from '../../../json.js';
import type { Signer } from '../evidence.js';
import { FetchError } from '../fetch-error.js';
import { readBounded } from '../read-bounded.js';

/** A bundle that has been checked. */
export interface VerifiedBundle {
  readonly signer: Signer;
  /** The signed statement about artifacts, if it is one. */
  readonly statement: Readonly<Record<string, unknown>> | undefined;
}

const LARGEST_ROOT = 4 * 1024 * 1024;

/** The keys of a Sigstore instance: a file, or those of the public one. */
export async function sigstoreRoot(file: string | undefined, folder: string): Promise<TrustedRoot> {
  if (file === undefined) return publicRoot();
  const document = parseJson((await readBounded(resolve(folder, file), LARGEST_ROOT).catch(() => undefined))?.toString('utf8') ?? '');
  try {
    return TrustedRoot.fromJSON(isFields(document) ? document : undefined);
  } catch {
    throw new FetchError(
      `"sigstoreRoot": ${echo(file)} is not a trusted root of Sigstore.`,
      'Use the file trusted_root.json of your instance.',
    );
  }
}

const PUBLIC_INSTANCE = 'https://tuf-repo-cdn.sigstore.dev';

async function publicRoot(): Promise<TrustedRoot> {
  const { default: seeds } = await import('@sigstore/tuf/seeds.json', { with: { type: 'json' } });
  const root = Buffer.from(seeds[PUBLIC_INSTANCE].targets['trusted_root.json'], 'base64').toString('utf8');
  return TrustedRoot.fromJSON(JSON.parse(root));
}

/** Throws a `FetchError` unless the bundle is valid. `artifact` is what it signs, if it has no statement of its own. */
export function verifyBundle(document: unknown, artifact: Uint8Array | undefined, root: TrustedRoot): VerifiedBundle {
  try {
    const bundle = bundleFromJSON(document);
    const entity = toSignedEntity(bundle, artifact === undefined ? undefined : Buffer.from(artifact));
    const { identity } = new Verifier(toTrustMaterial(root)).verify(entity);
    const subject = identity?.subjectAlternativeName;
    if (subject === undefined) throw new Error('its certificate names no identity');
    const issuer = identity?.extensions?.issuer;
    const { content } = bundle;
    const payload = content.$case === 'dsseEnvelope' ? parseJson(content.dsseEnvelope.payload.toString('utf8')) : undefined;
    return {
      signer: { method: 'sigstore', identity: withoutRef(subject), ...(issuer === undefined ? {} : { issuer }) },
      statement: isFields(payload) ? payload : undefined,
    };
  } catch (cause) {
    throw invalidSignature(reasonOf(cause));
  }
}

/** A workflow signs each release at a different tag, but is the same signer. */
function withoutRef(subject: string): string {
  return subject.replace(/@refs\/[^@]*$/, '');
}

export function invalidSignature(reason: string): FetchError {
  return new FetchError(
    `Its Sigstore signature is not valid: ${echo(reason)}.`.replace(/\.\.$/, '.'),
    'Nothing was added. Ask its publisher.',
  );
}

/** Whether a statement is about an artifact with this digest, in hexadecimal. */
export function isAbout(statement: VerifiedBundle['statement'], algorithm: 'sha256' | 'sha512', digest: string, name?: string): boolean {
  const subjects = statement?.['subject'];
  if (!Array.isArray(subjects)) return false;
  return subjects.some(
    (subject: unknown) =>
      isFields(subject) &&
      (name === undefined || subject['name'] === name) &&
      isFields(subject['digest']) &&
      subject['digest'][algorithm] === digest,
  );
}
