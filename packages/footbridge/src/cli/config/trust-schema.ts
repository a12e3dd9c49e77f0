/** The schema of `"trust"`: which content of sources is accepted. */
import * as z from 'zod/v4';
import type { SignerIdentity, TrustSettings } from '../../sources/fetched/trust/settings.js';
import { filled, listOf, someOf, text } from './parts.js';

const SignerSchema = z.union(
  [
    filled,
    z.strictObject({
      identity: text('The identity in the certificate: a workflow or an e-mail address; * matches any number of characters.'),
      issuer: text('The certificate issuer, such as https://token.actions.githubusercontent.com.').exactOptional(),
    } satisfies Record<keyof SignerIdentity, z.ZodType>),
  ],
  'Expected a public key, the path of a file with one, or an identity.',
);

export const TrustSchema = z
  .strictObject({
    require: listOf(
      z.enum(['signed'], { error: 'Expected "signed".' }),
      'With ["signed"], content without a signature of one of the signers is refused.',
    ).exactOptional(),
    signers: listOf(
      SignerSchema,
      'Who may sign: public keys (ssh, OpenPGP or PEM), files with them such as ./keys/ada.pub, and identities of Sigstore certificates. Default: anybody.',
    ).exactOptional(),
    scan: someOf(
      filled,
      'A command that checks new content, with its arguments. It gets the folder as its last argument, and refuses content by an error in SARIF on stdout.',
    ).exactOptional(),
    sigstoreRoot: text('A trusted_root.json with the keys of your own Sigstore. Default: the public instance.').exactOptional(),
  } satisfies Record<keyof TrustSettings, z.ZodType>)
  .describe('Which content of "sources" is accepted: signatures, signers and a scanner.');
