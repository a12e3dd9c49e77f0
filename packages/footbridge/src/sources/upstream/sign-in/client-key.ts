/** The private key of a client, which proves to an authorization server who it is (`private_key_jwt`, RFC 7523). */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { type AddClientAuthentication, createPrivateKeyJwtAuth } from '@modelcontextprotocol/client';
import { systemCode } from '../../../errors.js';
import { isFields, parseJson } from '../../../json.js';
import type { OAuthSettings } from '../options.js';
import { SignInError } from './sign-in-error.js';

const LARGEST = 64 * 1024;

/** By the curve of a key. */
const OF_CURVE: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };
const OF_RSA = ['RS256', 'PS256', 'RS384', 'PS384', 'RS512', 'PS512'];

/** Undefined where none is configured. Throws a `SignInError` where it cannot be used; the message has nothing of the key. */
export function configuredKey({ clientKeyEnv, clientKeyFile }: OAuthSettings, environment: NodeJS.ProcessEnv): KeyObject | undefined {
  if (clientKeyEnv !== undefined) {
    const text = environment[clientKeyEnv];
    if (text === undefined || text === '')
      throw new SignInError(`The environment variable ${clientKeyEnv}, which "clientKeyEnv" names, is not set.`, { retryable: true });
    return keyIn(text, `The environment variable ${clientKeyEnv}, which "clientKeyEnv" names,`);
  }
  return clientKeyFile === undefined ? undefined : keyIn(textOf(clientKeyFile), 'The file that "clientKeyFile" names');
}

/** Signs the assertion for the token endpoint. `supported`: the algorithms that it names. */
export function keyAuthentication(clientId: string, key: KeyObject, supported: unknown): AddClientAuthentication {
  return createPrivateKeyJwtAuth({
    issuer: clientId,
    subject: clientId,
    privateKey: { ...key.export({ format: 'jwk' }) },
    alg: algorithmOf(key, Array.isArray(supported) ? supported : []),
  });
}

function algorithmOf({ asymmetricKeyDetails, asymmetricKeyType }: KeyObject, supported: readonly unknown[]): string {
  if (asymmetricKeyType === 'rsa') return OF_RSA.find((algorithm) => supported.includes(algorithm)) ?? 'RS256';
  if (asymmetricKeyType === 'ed25519') return supported.includes('Ed25519') && !supported.includes('EdDSA') ? 'Ed25519' : 'EdDSA';
  return OF_CURVE[asymmetricKeyDetails?.namedCurve ?? ''] ?? 'ES256';
}

/** PEM, or a JSON Web Key. */
function keyIn(text: string, what: string): KeyObject {
  try {
    const jwk = parseJson(text);
    const key = createPrivateKey(isFields(jwk) ? { key: jwk, format: 'jwk' } : text);
    const { asymmetricKeyDetails, asymmetricKeyType } = key;
    const isKnown = asymmetricKeyType === 'rsa' || asymmetricKeyType === 'ed25519' || (asymmetricKeyDetails?.namedCurve ?? '') in OF_CURVE;
    if (isKnown) return key;
  } catch {
    // The cause could reveal parts of the key.
  }
  throw new SignInError(
    `${what} has no private key that can be used. Use an RSA, P-256, P-384, P-521 or Ed25519 key, as PEM without a passphrase or as a JSON Web Key.`,
    {
      retryable: true,
    },
  );
}

function textOf(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > LARGEST) throw new SignInError('The file that "clientKeyFile" names is larger than 64 KiB.', { retryable: true });
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    throw new SignInError(`The file that "clientKeyFile" names cannot be read (${systemCode(cause) ?? 'unknown error'}).`, {
      retryable: true,
    });
  }
}
