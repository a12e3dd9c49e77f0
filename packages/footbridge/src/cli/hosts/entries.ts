/** The servers in a host's configuration, in any host's format. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { type Fields, isFields, ownField } from '../../json.js';
import { statOf } from '../folders.js';

type Texts = Readonly<Record<string, string>>;

export type HostServer =
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Texts;
      readonly cwd?: string;
    }
  | { readonly kind: 'url'; readonly url: string; readonly headers: Texts }
  /** In an unknown format. */
  | { readonly kind: 'unknown' };

export type Startable = Exclude<HostServer, { kind: 'unknown' }>;

export interface HostEntry {
  readonly name: string;
  readonly server: HostServer;
  readonly disabled: boolean;
  readonly fields: Fields;
  readonly isFootbridge: boolean;
}

/** Keys to a map of servers, the outermost first. */
type MapPath = readonly string[];

/**
 * Where a host's entries may be in its document, the place for new ones first. `key` is the library's, with dots; `folder` is the
 * project whose entries in a global file count too.
 */
export function mapPaths(host: string, key: string, document: Fields, isProject: boolean, folder?: string): readonly MapPath[] {
  const usual = key.split('.');
  // Claude Code keeps entries of a project in the global file.
  if (host === 'claude-code' && !isProject && folder !== undefined) return [['projects', folder, ...usual], usual];
  // OpenCode has two formats, possibly in one file.
  if (host === 'opencode' && isFields(valueAt(document, ['mcp', 'servers'])) && !looksLikeServer(valueAt(document, ['mcp', 'servers'])))
    return [['mcp', 'servers'], usual];
  // Copilot CLI also reads a file that contains only servers.
  if (host === 'github-copilot-cli' && isProject && isBareMap(document)) return [[]];
  return [usual];
}

export function isBareMap(document: Fields): boolean {
  const values = Object.values(document);
  return !Object.hasOwn(document, 'mcpServers') && values.length > 0 && values.every(looksLikeServer);
}

export function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isFields(value) ? ownField(value, key) : undefined), document);
}

/** Undefined if it is not a server, such as a setting next to the servers. */
export function entryOf(name: string, value: unknown): HostEntry | undefined {
  if (!isFields(value)) return undefined;
  const server = serverOf(value);
  return {
    name,
    server,
    disabled: value['disabled'] === true || value['enabled'] === false,
    fields: value,
    isFootbridge: server.kind === 'command' && startsFootbridge(server.command, server.args),
  };
}

const URL_FIELDS = ['httpUrl', 'url', 'serverUrl', 'uri'];

function serverOf(fields: Fields): HostServer {
  const url = URL_FIELDS.map((name) => ownField(fields, name)).find((value) => typeof value === 'string' && value !== '');
  if (typeof url === 'string') return { kind: 'url', url, headers: texts(fields['headers'] ?? fields['http_headers']) };
  const { command, cmd, cwd } = fields;
  const env = texts(fields['env'] ?? fields['envs'] ?? fields['environment']);
  const folder = typeof cwd === 'string' ? { cwd } : {};
  if (Array.isArray(command)) {
    const [first, ...others] = words(command);
    return first === undefined ? { kind: 'unknown' } : { kind: 'command', command: first, args: others, env, ...folder };
  }
  // An older format of Zed.
  if (isFields(command) && typeof command['path'] === 'string')
    return { kind: 'command', command: command['path'], args: words(command['args']), env: texts(command['env']), ...folder };
  const program = typeof command === 'string' ? command : cmd;
  if (typeof program !== 'string' || program === '') return { kind: 'unknown' };
  return { kind: 'command', command: program, args: words(fields['args']), env, ...folder };
}

function looksLikeServer(value: unknown): boolean {
  return isFields(value) && ['command', 'url', 'type'].some((name) => typeof value[name] === 'string' || Array.isArray(value[name]));
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(isText).map(String) : [];
}

function texts(value: unknown): Texts {
  if (!isFields(value)) return {};
  return Object.fromEntries(Object.entries(value).flatMap(([name, text]) => (isText(text) ? [[name, String(text)]] : [])));
}

/** Some files contain numbers and booleans for texts. */
function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Programs that start another one, with the subcommands for it. */
const LAUNCHERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  node: [],
  deno: ['run'],
  npm: ['exec', 'x'],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx', 'exec'],
  bun: ['x', 'run'],
  env: [],
};

/** Their options that take a value. */
const WITH_VALUE = new Set(['-p', '--package', '-r', '--require', '--import', '--loader', '-C', '--prefix', '--registry', '--cache']);

/** False if Footbridge is only an argument of another program. */
export function startsFootbridge(command: string, args: readonly string[]): boolean {
  if (namesFootbridge(command)) return true;
  const name = baseName(command);
  if (name === 'cmd') {
    const at = args.findIndex((word) => word.toLowerCase() === '/c');
    const [next, ...others] = at === -1 ? [] : args.slice(at + 1);
    return next !== undefined && startsFootbridge(next, others);
  }
  if (!Object.hasOwn(LAUNCHERS, name)) return false;
  const [first, ...others] = started(args, LAUNCHERS[name] ?? []);
  return first !== undefined && (namesFootbridge(first) || (name === 'env' && startsFootbridge(first, others)));
}

/** The started program and its arguments. */
function started(args: readonly string[], before: readonly string[]): readonly string[] {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (WITH_VALUE.has(word)) at++;
    else if (!word.startsWith('-') && !before.includes(word) && !/^\w+=/.test(word)) return args.slice(at);
  }
  return [];
}

/** `footbridge`, `footbridge@1.2`, `…/.bin/footbridge`, `…/footbridge.cjs`, `footbridge-0.1.0.tgz`; not `@acme/footbridge`. */
function namesFootbridge(word: string): boolean {
  if (word.startsWith('@')) return false;
  return /^footbridge(?:@[^/\\]+|\.(?:cjs|cmd|ps1|exe)|-\d[^/\\]*\.tgz)?$/i.test(word.split(/[/\\]/).at(-1) ?? '');
}

function baseName(command: string): string {
  return (command.split(/[/\\]/).at(-1) ?? '').toLowerCase().replace(/\.(?:exe|cmd|ps1)$/, '');
}

/** A missing folder, program or script of an entry; undefined if everything exists. */
export function whatIsMissing(
  server: Startable,
  folder: string,
): { readonly kind: 'path' | 'command'; readonly message: string } | undefined {
  if (server.kind === 'url') return undefined;
  const { args, command, cwd = folder, env } = server;
  if (statOf(cwd)?.isDirectory() !== true) return { kind: 'path', message: `Its working folder ${cwd} does not exist.` };
  const isPath = /[/\\]/.test(command);
  const files = isPath ? named(cwd, command) : pathFolders(env).flatMap((each) => named(each, command));
  if (isPath && !files.some((file) => statOf(file) !== undefined)) return { kind: 'path', message: `Program ${command} not found.` };
  if (!files.some(isProgram))
    return { kind: 'command', message: isPath ? `${command} is not executable.` : `Command ${command} not found on the PATH.` };
  // Footbridge reports problems with its own arguments.
  if (startsFootbridge(command, [])) return undefined;
  // The script of an interpreter, after options, which may start with a slash on Windows.
  const script = args.find((word) => !/^-|^\/\w$/.test(word));
  if (script !== undefined && isAbsolute(script) && statOf(script) === undefined)
    return { kind: 'path', message: `File ${script} not found.` };
  return undefined;
}

function pathFolders(env: Readonly<Record<string, string>>): readonly string[] {
  return (env['PATH'] ?? process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
}

function named(folder: string, name: string): readonly string[] {
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat', '.ps1'] : [''];
  return endings.map((ending) => resolve(folder, name + ending));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
