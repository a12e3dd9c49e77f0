/** Decides whether fetched content is accepted: by its signature, its signer, and a scanner. */
import { matches } from '../../../pattern.js';
import type { AcquireOptions, CheckedContent } from '../acquire.js';
import type { Signer } from '../evidence.js';
import { FetchError } from '../fetch-error.js';
import type { FetchSurroundings } from '../kind.js';
import { readSigners, type Signers, type TrustSettings } from './settings.js';

export interface TrustCheck {
  readonly settings: TrustSettings;
  readonly surroundings: FetchSurroundings;
  /** The locked state; undefined for a new source, or if the user accepted the new signer. */
  readonly before?: { readonly signer?: Signer | undefined } | undefined;
}

/** For `acquire`. */
export function trustCheck({ before, settings, surroundings }: TrustCheck): NonNullable<AcquireOptions['check']> {
  return async (content) => {
    const { source, skills, temporary } = content;
    const signers = await readSigners(settings, surroundings);
    const signer = await chosenSigner(await signersOf(content, signers, settings, surroundings), signers, before?.signer);
    if (settings.require?.includes('signed') === true) await requireSigner(signer, signers, source.specification);
    if (before !== undefined && before.signer !== undefined && !isSameSigner(before.signer, signer))
      throw new FetchError(
        `${source.specification} was signed by ${before.signer.identity}, and now ${signer === undefined ? 'is not signed' : `by ${signer.identity}`}.`,
        `Ask its publisher. To accept it, run: footbridge add ${source.specification}`,
      );
    if (settings.scan !== undefined) await (await import('./scan.js')).scanContent(settings.scan, skills, { ...surroundings, temporary });
    return signer;
  };
}

/** Content may have several signers: those in `signers` take precedence, and among these the previous one. */
async function chosenSigner(found: readonly Signer[], signers: Signers, before: Signer | undefined): Promise<Signer | undefined> {
  const known: Signer[] = [];
  for (const each of found) if (signers.isAny || (await isKnown(each, signers))) known.push(each);
  const counted = known.length === 0 ? found : known;
  return counted.find((each) => before !== undefined && isSameSigner(before, each)) ?? counted[0];
}

async function signersOf(
  { evidence, temporary }: CheckedContent,
  signers: Signers,
  { sigstoreRoot }: TrustSettings,
  surroundings: FetchSurroundings,
): Promise<readonly Signer[]> {
  switch (evidence?.kind) {
    case 'git':
      return listOf(await (await import('./git-signature.js')).gitSigner(evidence, signers, { ...surroundings, temporary }));
    case 'npm':
      return listOf(await (await import('./npm-signature.js')).npmSigner(evidence, sigstoreRoot, surroundings));
    case 'oci':
      return (await import('./oci-signature.js')).ociSigners(evidence, signers, sigstoreRoot, surroundings.folder);
    default:
      return [];
  }
}

function listOf(signer: Signer | undefined): readonly Signer[] {
  return signer === undefined ? [] : [signer];
}

async function requireSigner(signer: Signer | undefined, signers: Signers, specification: string): Promise<void> {
  if (signer === undefined)
    throw new FetchError(
      `${specification} has no signature that can be checked, and "trust" requires one.`,
      'Add its key to "signers", ask its publisher to sign it, or remove "signed" from "require".',
    );
  if (!signers.isAny && !(await isKnown(signer, signers)))
    throw new FetchError(
      `${specification} is signed by ${signer.identity}, who is not one of the "signers".`,
      'If you trust this signer, add it to "signers" of "trust".',
    );
}

async function isKnown({ identity, issuer, method }: Signer, { identities, pem, ssh }: Signers): Promise<boolean> {
  // Only keys of the signers were in the key ring.
  if (method === 'gpg') return true;
  if (method === 'ssh') {
    const { sshFingerprint } = await import('./git-signature.js');
    return (await Promise.all(ssh.map(sshFingerprint))).includes(identity);
  }
  if (method === 'cosign') {
    const { keyFingerprint } = await import('./key-signature.js');
    return pem.map(keyFingerprint).includes(identity);
  }
  return identities.some((each) => matches(each.identity, identity) && (each.issuer === undefined || each.issuer === issuer));
}

function isSameSigner(one: Signer, other: Signer | undefined): boolean {
  return other !== undefined && one.method === other.method && one.identity === other.identity && one.issuer === other.issuer;
}
