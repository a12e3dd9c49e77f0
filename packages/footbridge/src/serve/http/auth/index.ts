/** Who may connect: tokens that were handed out, and those of an authorization server. */
import { hash } from 'node:crypto';
import type { Log } from '../../../log.js';
import type { HttpAccess } from '../options.js';
import type { Authenticator, Refused } from './authenticator.js';
import { jwtVerifier } from './oauth.js';
import { tokenLookup } from './tokens.js';

export type SignIn = Pick<HttpAccess, 'tokens' | 'oauth'>;

const LONGEST_HEADER = 16 * 1024;
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Whether there is any way to sign in, so that nobody may come without. */
export function isProtected({ tokens = [], oauth }: SignIn): boolean {
  return tokens.length > 0 || oauth !== undefined;
}

/** Throws when the options ask for what is not safe. */
export function createAuthenticator({ tokens = [], oauth }: SignIn, log: Log): Authenticator {
  const find = tokenLookup(tokens);
  const verifier = oauth === undefined ? undefined : jwtVerifier(oauth, log);
  return {
    authenticate(authorization = '') {
      if (authorization === '') return refused(undefined, 'This server asks for a token, in the header "Authorization: Bearer TOKEN".');
      const token = bearerToken(authorization);
      if (token === undefined) return refused('invalid_request', 'The header has to be "Authorization: Bearer TOKEN", with one token.');
      const digest = hash('sha256', token);
      const known = find(digest, token);
      if (known !== undefined) return known;
      if (verifier !== undefined && JWT.test(token)) return verifier.verify(token, digest);
      return refused('invalid_token', 'The token is not one that this server knows.');
    },
    close: () => verifier?.close(),
  };
}

function bearerToken(authorization: string): string | undefined {
  return authorization.length > LONGEST_HEADER ? undefined : BEARER.exec(authorization)?.[1];
}

function refused(error: string | undefined, message: string): Refused {
  return { ok: false, status: 401, error, message };
}
