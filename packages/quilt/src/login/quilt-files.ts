/** The files of `quilt3`: read, never written. */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { systemCode } from 'footbridge/pack';
import * as z from 'zod/v4';

export function quiltFolder({ LOCALAPPDATA, XDG_DATA_HOME }: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'QuiltData', 'Quilt');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Quilt');
  return join(XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(homedir(), '.local', 'share'), 'Quilt');
}

/** Only the fields that are used here. A field without a value is null. */
const text = z.string().nullish();
const CONFIG = z.object({ navigator_url: text, registryUrl: text, region: text });
const AUTH = z.record(z.string(), z.object({ access_token: z.string().min(1), expires_at: z.number().optional() }).catchall(z.unknown()));
const CREDENTIALS = z.object({ access_key: z.string().min(1), secret_key: z.string().min(1), token: text, expiry_time: text });

/** Without a value if the file is missing, empty or invalid; `problem` explains the last. */
export type FileContent<T> = { readonly value: T | undefined; readonly problem?: string };

export function readConfig(folder: string): Promise<FileContent<z.output<typeof CONFIG>>> {
  const parseYaml = async (content: string): Promise<unknown> => {
    const { parse } = await import('yaml');
    return parse(content, { logLevel: 'error', maxAliasCount: 0, uniqueKeys: false });
  };
  return read(folder, 'config.yml', CONFIG, parseYaml, MAX_YAML_BYTES);
}

export function readAuth(folder: string): Promise<FileContent<z.output<typeof AUTH>>> {
  return read(folder, 'auth.json', AUTH, JSON.parse);
}

export async function readCredentials(folder: string) {
  return (await read(folder, 'credentials.json', CREDENTIALS, JSON.parse)).value;
}

const MAX_BYTES = 1024 * 1024;
/** Malicious YAML can take minutes to parse; `quilt3` writes about 2 KB. */
const MAX_YAML_BYTES = 16 * 1024;

async function read<T>(
  folder: string,
  name: string,
  schema: z.ZodType<T>,
  parseText: (content: string) => unknown,
  maxBytes: number = MAX_BYTES,
): Promise<FileContent<T>> {
  let content: string;
  try {
    const stats = await stat(join(folder, name));
    // Reading a pipe or device could block forever.
    if (!stats.isFile()) return unusable(name, 'is not a regular file');
    if (stats.size > maxBytes) return unusable(name, 'is too large');
    content = await readFile(join(folder, name), 'utf8');
  } catch (cause) {
    const code = systemCode(cause);
    return code === 'ENOENT' || code === 'ENOTDIR' ? { value: undefined } : unusable(name, `cannot be read (${code ?? 'unknown reason'})`);
  }
  let value: unknown;
  try {
    value = await parseText(content);
  } catch {
    // The parser's message may contain a token.
    return unusable(name, 'cannot be parsed');
  }
  // `quilt3 logout` leaves an empty object.
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) return { value: undefined };
  const checked = schema.safeParse(value);
  return checked.success ? { value: checked.data } : unusable(name, 'has unexpected content');
}

function unusable(name: string, problem: string): { value: undefined; problem: string } {
  return { value: undefined, problem: `quilt3's file ${name} ${problem}` };
}

/** Origin and path only, https by default; undefined if invalid. */
export function normalizeUrl(text: string | null | undefined): string | undefined {
  const given = text?.trim();
  if (!given) return undefined;
  const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`;
  if (!URL.canParse(absolute)) return undefined;
  const url = new URL(absolute);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

export function catalogName(url: string): string {
  return new URL(url).hostname.replace(/^www\./, '');
}

/** Whether a request to it is encrypted or stays on this machine. */
export function isSecure(url: string): boolean {
  const { hostname, protocol } = new URL(url);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
