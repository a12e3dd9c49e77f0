/** The servers in a host's configuration, in whichever of the hosts' shapes they are written. */
import { type Fields, isFields, ownField } from '../../json.js';
import { startsFootbridge } from './ours.js';

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
  /** In a shape that no host known here has. */
  | { readonly kind: 'unknown' };

/** What can be started or connected to. */
export type Startable = Exclude<HostServer, { kind: 'unknown' }>;

export interface HostEntry {
  readonly name: string;
  readonly server: HostServer;
  readonly disabled: boolean;
  /** As in the file. */
  readonly fields: Fields;
  /** Whether what it starts is Footbridge. */
  readonly isFootbridge: boolean;
}

/** The keys that a map of servers lies under, from the outermost. */
export type MapPath = readonly string[];

/**
 * Where the entries of a host may be in its document, the place for new ones first. `key` is the library's, with dots; `folder` is the
 * project whose own entries count too.
 */
export function mapPaths(host: string, key: string, document: Fields, isProject: boolean, folder?: string): readonly MapPath[] {
  const usual = key.split('.');
  // What Claude Code keeps for one project, in the file for all.
  if (host === 'claude-code' && !isProject && folder !== undefined) return [['projects', folder, ...usual], usual];
  // OpenCode has two layouts, which may be in one file.
  if (host === 'opencode' && isFields(valueAt(document, ['mcp', 'servers'])) && !looksLikeServer(valueAt(document, ['mcp', 'servers'])))
    return [['mcp', 'servers'], usual];
  // Copilot CLI also reads a file that is nothing but servers.
  if (host === 'github-copilot-cli' && isProject && isBareMap(document)) return [[]];
  return [usual];
}

/** A document that is nothing but servers. */
export function isBareMap(document: Fields): boolean {
  const values = Object.values(document);
  return !Object.hasOwn(document, 'mcpServers') && values.length > 0 && values.every(looksLikeServer);
}

/** What lies at a path, of own fields only. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isFields(value) ? ownField(value, key) : undefined), document);
}

/** An entry of a map of servers; undefined for what cannot be one, such as a setting that lies between them. */
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
  // As Zed once wrote it.
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

/** Numbers and switches are written as such in some files, and mean their text. */
function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
