/** The files that `quilt3` keeps: read, never written. */
import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { systemCode } from 'footbridge/pack';
import * as z from 'zod/v4';

/** Where `quilt3` keeps its files on this system. */
export function quiltFolder({ LOCALAPPDATA, XDG_DATA_HOME }: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'QuiltData', 'Quilt');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Quilt');
  return join(XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(homedir(), '.local', 'share'), 'Quilt');
}

/** Of the many fields of these files, those that matter here. A field that is there without a value is null. */
const text = z.string().nullish();
const CONFIG = z.object({ navigator_url: text, registryUrl: text, region: text });
const AUTH = z.record(z.string(), z.object({ access_token: z.string().min(1), expires_at: z.number().optional() }).catchall(z.unknown()));
const CREDENTIALS = z.object({ access_key: z.string().min(1), secret_key: z.string().min(1), token: text, expiry_time: text });

export type QuiltConfig = z.output<typeof CONFIG>;
export type QuiltAuth = z.output<typeof AUTH>;
export type QuiltCredentials = z.output<typeof CREDENTIALS>;

/** What a file holds; undefined where there is none, or nothing in it. */
export type FileContent<T> = { readonly value: T | undefined; readonly problem?: string };

export function readConfig(folder: string): Promise<FileContent<QuiltConfig>> {
  const parseYaml = async (content: string): Promise<unknown> => {
    const { parse } = await import('yaml');
    return parse(content, { logLevel: 'error', maxAliasCount: 0, uniqueKeys: false });
  };
  return read(folder, 'config.yml', CONFIG, parseYaml, MOST_BYTES_OF_YAML);
}

export function readAuth(folder: string): Promise<FileContent<QuiltAuth>> {
  return read(folder, 'auth.json', AUTH, JSON.parse);
}

export async function readCredentials(folder: string): Promise<QuiltCredentials | undefined> {
  return (await read(folder, 'credentials.json', CREDENTIALS, JSON.parse)).value;
}

/** More than that, these files never hold. */
const MOST_BYTES = 1024 * 1024;
/** YAML can be written that takes minutes to read; what `quilt3` writes has two thousand. */
const MOST_BYTES_OF_YAML = 16 * 1024;

async function read<T>(
  folder: string,
  name: string,
  schema: z.ZodType<T>,
  parseText: (content: string) => unknown,
  mostBytes: number = MOST_BYTES,
): Promise<FileContent<T>> {
  let content: string;
  try {
    const stats = await stat(join(folder, name));
    // A pipe would be waited for, and a device be read, without end.
    if (!stats.isFile()) return unusable(name, 'is no file');
    if (stats.size > mostBytes) return unusable(name, 'is too large to be right');
    content = await readFile(join(folder, name), 'utf8');
  } catch (cause) {
    const code = systemCode(cause);
    return code === 'ENOENT' || code === 'ENOTDIR' ? { value: undefined } : unusable(name, `cannot be read (${code ?? 'unknown reason'})`);
  }
  let value: unknown;
  try {
    value = await parseText(content);
  } catch {
    // What was wrong with it may repeat a token.
    return unusable(name, 'cannot be understood');
  }
  // `quilt3 logout` leaves an empty one.
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) return { value: undefined };
  const checked = schema.safeParse(value);
  return checked.success ? { value: checked.data } : unusable(name, 'does not hold what it should');
}

function unusable(name: string, problem: string): { value: undefined; problem: string } {
  return { value: undefined, problem: `quilt3's file ${name} ${problem}` };
}
