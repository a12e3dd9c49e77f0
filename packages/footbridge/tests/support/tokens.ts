/** Static tokens for tests: each name has one, and a role of the same name. */
import { createHash } from 'node:crypto';

const tokenOf = (name: string) => `fb_token-of-${name}`;

export function tokensOf(...names: readonly string[]) {
  return names.map((name) => ({ name, sha256: createHash('sha256').update(tokenOf(name)).digest('hex'), roles: [name] }));
}

export const bearer = (name: string) => ({ authorization: `Bearer ${tokenOf(name)}` });
