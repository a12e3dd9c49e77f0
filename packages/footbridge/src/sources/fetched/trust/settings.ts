/** What is accepted: `"trust"` of `footbridge.json`. */
import { createPublicKey } from 'node:crypto';
import { join, resolve } from 'node:path';
import { echo } from '../../../errors.js';
import { FetchError } from '../fetch-error.js';
import type { FetchSurroundings } from '../kind.js';
import { readBounded } from '../read-bounded.js';

/** Who may sign with a certificate of Sigstore. `*` stands for any characters. */
export interface SignerIdentity {
  readonly identity: string;
  /** Any, if absent. */
  readonly issuer?: string;
}

export interface TrustSettings {
  /** With `signed`, content without a signature of one of the signers is refused. */
  readonly require?: readonly 'signed'[];
  /** Public keys (ssh, OpenPGP or PEM), files with them, and identities of certificates. Any signer, if absent. */
  readonly signers?: readonly (string | SignerIdentity)[];
  /** A command that checks new content, and its arguments. The folder is its last argument, and SARIF its output. */
  readonly scan?: readonly string[];
  /** A file with the keys of a Sigstore instance. Default: those of the public instance. */
  readonly sigstoreRoot?: string;
}

/** The signers by the kind of verification. */
export interface Signers {
  /** Lines as in `authorized_keys`. */
  readonly ssh: readonly string[];
  /** Blocks of OpenPGP public keys. */
  readonly openPgp: readonly string[];
  /** Public keys in PEM, for signatures of cosign. */
  readonly pem: readonly string[];
  readonly identities: readonly SignerIdentity[];
  /** Whether any signer is accepted. */
  readonly isAny: boolean;
}

const SSH = /^(?:ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp\d{3}|sk-[\w-]{1,40}@openssh\.com) [A-Za-z0-9+/=]{1,8192}(?: [^\n]{0,200})?$/;
const PATH = /^(?:\.{0,2}\/|~\/|[A-Za-z]:[\\/])/;

/** Throws a `FetchError` for a file that cannot be read or has no key. */
export async function readSigners(settings: TrustSettings, surroundings: Pick<FetchSurroundings, 'folder' | 'home'>): Promise<Signers> {
  const { signers } = settings;
  const [ssh, openPgp, pem, identities]: [string[], string[], string[], SignerIdentity[]] = [[], [], [], []];
  const addKey = (text: string): boolean => {
    if (text.includes('-----BEGIN PGP PUBLIC KEY BLOCK-----')) return openPgp.push(text) > 0;
    if (text.includes('-----BEGIN PUBLIC KEY-----')) return isPublicKey(text) && pem.push(text) > 0;
    const lines = text.split('\n').map((line) => line.trim());
    const keys = lines.filter((line) => SSH.test(line));
    return keys.length > 0 && ssh.push(...keys) > 0;
  };
  for (const signer of signers ?? []) {
    if (typeof signer !== 'string') identities.push(signer);
    else if (PATH.test(signer)) {
      if (!addKey(await readKeys(signer, surroundings)))
        throw new FetchError(`"signers": ${echo(signer)} has no public key.`, 'Use a file with an ssh, OpenPGP or PEM public key.');
    } else if (!addKey(signer)) identities.push({ identity: signer });
  }
  return { ssh, openPgp, pem, identities, isAny: signers === undefined };
}

function isPublicKey(text: string): boolean {
  try {
    return createPublicKey(text).type === 'public';
  } catch {
    return false;
  }
}

const LARGEST_KEYS = 1024 * 1024;

async function readKeys(path: string, { folder, home }: Pick<FetchSurroundings, 'folder' | 'home'>): Promise<string> {
  const file = path.startsWith('~/') ? join(home, path.slice(2)) : resolve(folder, path);
  const bytes = await readBounded(file, LARGEST_KEYS).catch(() => undefined);
  if (bytes === undefined)
    throw new FetchError(`"signers": ${echo(path)} cannot be read.`, 'Check its name, its size and its permissions.');
  return bytes.toString('utf8');
}
