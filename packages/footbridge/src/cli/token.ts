/** Creates, lists and revokes the tokens in `footbridge.json`, whose comments and layout are kept. */
import { createHash, randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { applyEdits, modify } from 'jsonc-parser';
import { nearest } from '../catalog/near.js';
import { systemCode } from '../errors.js';
import { hasExpired, isProtected } from '../serve/http/auth/index.js';
import type { TokenEntry } from '../serve/http/options.js';
import { type Config, findConfig, NOTHING } from './config/index.js';
import { readConfig } from './config/load.js';
import { CommandError } from './failure.js';
import { currentOf } from './install/change.js';
import { lineEnd } from './install/text/style.js';
import { replaceFile } from './install/write.js';
import type { Io } from './io.js';
import { plain, plural } from './terminal.js';
import { renewTrust } from './trust/index.js';

export interface TokenFileOptions {
  readonly config?: string;
  readonly json?: boolean;
}

export interface CreateOptions extends TokenFileOptions {
  readonly role: readonly string[];
  readonly expires?: string;
  readonly write?: boolean;
}

/** Makes our tokens recognisable for people and secret scanners. */
const PREFIX = 'fb_';
const FILE = 'footbridge.json';
const RESTART = 'Restart a server that uses the file: it reads its tokens when it starts.';

/** Prints the token, which is stored nowhere; the configuration contains only its digest. */
export async function createToken(name: string, { config, expires, json, role, write }: CreateOptions, io: Io): Promise<number> {
  const secret = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  const sha256 = createHash('sha256').update(secret).digest('hex');
  const entry: TokenEntry = {
    name,
    sha256,
    ...(role.length === 0 ? {} : { roles: role }),
    expires,
  };
  const file = write === true ? await addEntry(entry, config, io) : undefined;
  const header = `Authorization: Bearer ${secret}`;
  if (json === true) {
    io.printJson({ token: secret, entry, header, file });
    return 0;
  }
  io.print(`Token for ${io.colors.bold(plain(name))}, shown only once:\n\n  ${io.colors.bold(secret)}\n`);
  if (file === undefined) {
    io.print(`Add this to "http.tokens" in ${FILE}, or use --write:\n`);
    io.printExactly(indented(JSON.stringify(entry, undefined, 2)));
  } else io.print(`Added to ${plain(file)}${expires === undefined ? '' : `; it expires on ${expires.slice(0, 10)}`}. ${RESTART}`);
  io.print(`\nHosts send the token in this header:\n\n  ${header}`);
  return 0;
}

export async function listTokens({ config: named, json }: TokenFileOptions, io: Io): Promise<number> {
  const file = await openFile(named, io);
  const tokens = file.config.http.tokens ?? [];
  if (json === true) {
    io.printJson({
      file: file.name,
      tokens: tokens.map((entry) => ({
        name: entry.name,
        roles: entry.roles ?? [],
        expires: entry.expires ?? null,
        expired: hasExpired(entry),
      })),
    });
    return 0;
  }
  io.printTable(
    [{}, { shrinks: true }, {}],
    tokens.map((entry) => [plain(entry.name), plain((entry.roles ?? []).join(', ')) || 'no roles', expiryText(entry)]),
  );
  io.print(
    tokens.length === 0
      ? `No tokens in ${plain(file.name)}. Create one with: footbridge token NAME --write`
      : plural(tokens.length, 'token'),
  );
  return 0;
}

function expiryText(entry: TokenEntry): string {
  if (entry.expires === undefined) return 'never expires';
  return `${hasExpired(entry) ? 'expired' : 'expires'} ${entry.expires.slice(0, 10)}`;
}

export async function revokeToken(name: string, { config: named, json }: TokenFileOptions, io: Io): Promise<number> {
  const file = await openFile(named, io);
  const tokens = file.config.http.tokens ?? [];
  const index = tokens.findIndex((entry) => entry.name === name);
  if (index === -1) throw unknownToken(name, tokens, file.name);
  // An empty list is invalid.
  const isLast = tokens.length === 1;
  await save(file, edited(file.text, isLast ? ['http', 'tokens'] : ['http', 'tokens', index], undefined), io);
  const isOpen = isLast && !isProtected({ ...file.config.http, tokens: [] });
  if (json === true) io.printJson({ file: file.name, revoked: name, left: tokens.length - 1, open: isOpen });
  else {
    io.print(`Revoked the token of ${plain(name)} in ${plain(file.name)}. ${RESTART}`);
    if (isOpen) io.print('It was the last one: the server now requires no token, and listens to other machines only with --insecure.');
  }
  return 0;
}

function unknownToken(name: string, tokens: readonly TokenEntry[], file: string): CommandError {
  const [near] = nearest(
    name,
    tokens.map((entry) => entry.name),
  );
  const hint = near === undefined ? 'List the tokens: footbridge token list' : `Did you mean ${plain(near)}?`;
  return new CommandError('not-found', `Token '${plain(name)}' not found in ${plain(file)}.`, [hint]);
}

interface TokenFile {
  /** As it was named. */
  readonly name: string;
  readonly isNamed: boolean;
  readonly text: string;
  readonly config: Config;
}

/** Empty if it was not named and does not exist. Throws if it is invalid. */
async function openFile(named: string | undefined, io: Io): Promise<TokenFile> {
  const name = named ?? FILE;
  const found = await findConfig(named, io);
  if (found.file === undefined) return { name, isNamed: false, text: '', config: NOTHING };
  const { config, text } = await readConfig(name, io);
  return {
    name,
    isNamed: named !== undefined,
    text,
    config: found.untrusted === undefined ? config : { ...config, untrusted: found.untrusted },
  };
}

async function addEntry(entry: TokenEntry, named: string | undefined, io: Io): Promise<string> {
  const file = await openFile(named, io);
  const { tokens = [] } = file.config.http;
  if (tokens.some(({ name }) => name === entry.name))
    throw new CommandError('failed', `${plain(file.name)} already has a token for '${plain(entry.name)}'.`, [
      `Revoke it first: footbridge token revoke ${plain(entry.name)}`,
    ]);
  const text = file.text === '' ? '{}\n' : file.text;
  await save(file, tokens.length === 0 ? edited(text, ['http', 'tokens'], [entry]) : edited(text, ['http', 'tokens', -1], entry), io);
  return file.name;
}

/** `value` undefined removes; an index of -1 appends. */
function edited(text: string, path: (string | number)[], value: unknown): string {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const formattingOptions = { insertSpaces: !indent.includes('\t'), tabSize: indent.length, eol: lineEnd(text) };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion: path.at(-1) === -1 }));
}

async function save({ config, isNamed, name, text: read }: TokenFile, text: string, io: Io): Promise<void> {
  const path = io.path(name);
  try {
    const real = await realpath(path).catch(() => path);
    const before = await currentOf(real);
    if (!before.ok) throw new Error(before.reason);
    if (before.text.replace(/^\uFEFF/, '') !== read) throw new Error('it has just changed; run the command again');
    const written = await replaceFile({ real, before: before.bytes, after: Buffer.from(text) }, undefined);
    if (!written.ok) throw new Error(written.reason);
  } catch (error) {
    const reason = systemCode(error) ?? (error instanceof Error ? error.message : 'unknown error');
    throw new CommandError('failed', `${plain(name)} cannot be written (${reason}).`, ['Check its permissions.']);
  }
  if (!isNamed && config.untrusted === undefined) await renewTrust(io);
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
