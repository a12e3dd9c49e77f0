/** `footbridge token`: a token for somebody, and the entry of the configuration that lets them in. */
import { createHash, randomBytes } from 'node:crypto';
import type { Io } from '../io.js';
import { plain } from '../terminal.js';

export interface TokenOptions {
  readonly role: readonly string[];
  readonly json?: boolean;
}

/** Tells our tokens from others, for people and for programs that look for secrets. */
const PREFIX = 'fb_';

/** Prints what is kept nowhere: only its digest goes into the configuration. */
export function token(name: string, { role, json }: TokenOptions, io: Io): number {
  const secret = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  const sha256 = createHash('sha256').update(secret).digest('hex');
  const entry = { name, sha256, ...(role.length === 0 ? {} : { roles: role }) };
  const header = `Authorization: Bearer ${secret}`;
  if (json === true) io.printJson({ token: secret, entry, header });
  else
    io.print(`Token for ${io.colors.bold(plain(name))}, shown only once:

  ${io.colors.bold(secret)}

Add this to "http.tokens" in footbridge.json:

  ${JSON.stringify(entry)}

Hosts send the token in this header:

  ${header}`);
  return 0;
}
