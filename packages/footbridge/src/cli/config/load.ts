/** Reads and validates a configuration file. Loaded only if one exists. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, normalize, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { findNodeAtLocation, type Node } from 'jsonc-parser';
import type * as z from 'zod/v4';
import { nearest } from '../../catalog/near.js';
import { systemCode } from '../../errors.js';
import { isFields } from '../../json.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import { decodeText } from '../../text.js';
import type { Surroundings } from '../io.js';
import { betweenSteps, type ConfigDocument, readDocument } from './document.js';
import { CONFIG_FILE, type Config } from './index.js';
import { plainServers } from './plain.js';
import { ConfigError, type ConfigPath, type ConfigProblem, configError, keyText, MAX_PROBLEMS } from './problems.js';
import { ConfigSchema, configJsonSchema } from './schema.js';

const LARGEST = 1024 * 1024;

type Place = Pick<Surroundings, 'cwd' | 'env' | 'home'>;

/** Throws a `ConfigError` with every problem. Of a discovered file that is not trusted, only what does no harm is returned. */
export async function loadConfig(file: string, io: Place, isDiscovered: boolean): Promise<Config> {
  const { config, text } = await readConfig(file, io);
  if (!isDiscovered) return config;
  const { isWithin, trustedPart } = await import('../trust/check.js');
  const part = await trustedPart({ ...config, isDiscovered }, text, io, {
    plain: () => configOf(text, file, { cwd: io.cwd, home: io.home, env: undefined }),
    again: () => loadConfig(file, io, isDiscovered),
  });
  return { ...part, confined: part.skills.filter((each) => isWithin(each, io)) };
}

/** The whole file, trusted or not, and its text. */
export async function readConfig(file: string, place: Place): Promise<{ readonly config: Config; readonly text: string }> {
  const text = await readText(resolve(place.cwd, file), normalize(file));
  return { config: await configOf(text, file, place), text };
}

/** Without an environment, as if no variable was set. */
async function configOf(
  text: string,
  file: string,
  { cwd, env, home }: Omit<Place, 'env'> & { readonly env: NodeJS.ProcessEnv | undefined },
): Promise<Config> {
  const name = normalize(file);
  const document = await readDocument(text, env);
  await betweenSteps(text);
  const checked = 'root' in document ? checkDocument(document) : { ok: false as const, problems: document.problems };
  await betweenSteps(text);
  if (!checked.ok) throw configError(name, text, checked.problems);
  const { skills = [], sources = [], mcpServers = {}, packs = [], tools = {}, http = {}, ...rest } = checked.config;
  const folder = dirname(resolve(cwd, file));
  return {
    file: name,
    skills: skills.map((each) => skillFolder(each, folder, cwd)),
    sources: sources.map((each) =>
      typeof each === 'string' ? { source: each, skills: [] } : { source: each.source, skills: each.skills ?? [] },
    ),
    update: rest.update,
    trust: rest.trust,
    standardFolders: rest.standardFolders,
    locked: rest.locked,
    serveSecrets: rest.serveSecrets,
    mcpServers: allPlaced(mcpServers, folder, home),
    idle: rest.idle,
    running: rest.running,
    packs: packs.map((pack) => (typeof pack === 'string' ? { name: pack } : { name: pack[0], options: pack[1] })),
    tools,
    showing: {
      profiles: rest.hosts,
      budget: rest.catalogue?.budget,
      showNative: rest.native === 'serve',
      countUsage: rest.usage ?? true,
      toolSearch: rest.toolSearch,
      always: rest.always,
    },
    identity: rest.identity,
    http,
  };
}

async function readText(file: string, name: string): Promise<string> {
  const bytes = await readBytes(file, name).catch((cause: unknown) => {
    throw cause instanceof ConfigError ? cause : unreadable(name, systemCode(cause));
  });
  if (bytes.length > LARGEST) throw new ConfigError(`${name} is larger than 1 MiB.\nIs it the right file?`);
  const text = decodeText(bytes);
  if (text === undefined) throw new ConfigError(`${name} is not UTF-8.\nSave it as UTF-8.`);
  return text.replace(/^\uFEFF/, '');
}

/** A named file may be a pipe, such as `<(…)`. A discovered file is untrusted: a pipe without a writer would block forever. */
async function readBytes(file: string, name: string): Promise<Buffer> {
  const isFound = name === CONFIG_FILE;
  // Limits how much of an endless device is read. Windows has no O_NONBLOCK.
  const handle = await open(file, constants.O_RDONLY | (isFound ? (constants.O_NONBLOCK ?? 0) : 0));
  const stats = await handle.stat();
  if (isFound && !stats.isFile() && !stats.isDirectory()) {
    await handle.close();
    throw new ConfigError(`${name} is not a file.\nRemove it, or replace it with a text file.`);
  }
  return buffer(handle.createReadStream({ end: LARGEST }));
}

function unreadable(name: string, code: string | undefined): ConfigError {
  if (code === 'ENOENT') return new ConfigError(`File ${name} not found.\nCreate it, or correct --config.`);
  if (code === 'EISDIR') return new ConfigError(`${name} is a folder.\nName a file: --config FILE`);
  return new ConfigError(`${name} cannot be read (${code ?? 'unknown error'}).\nCheck its permissions.`);
}

/** Hosts see this name, so it stays as written where it is valid from the working folder. */
function skillFolder(name: string, folder: string, cwd: string): string {
  if (name === '~') return '~/';
  return name.startsWith('~/') || folder === cwd ? name : resolve(folder, name);
}

/** The servers that are not disabled. */
function allPlaced(
  servers: Readonly<Record<string, UpstreamServer | undefined>>,
  folder: string,
  home: string,
): Readonly<Record<string, UpstreamServer>> {
  const all: Record<string, UpstreamServer> = {};
  for (const name in servers) {
    const server = servers[name];
    if (server !== undefined) all[name] = placed(server, folder, home);
  }
  return all;
}

/** Makes the paths of a server absolute. */
function placed(server: UpstreamServer, folder: string, home: string): UpstreamServer {
  const at = (path: string) => (path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(folder, path));
  if ('cwd' in server && server.cwd !== undefined) return { ...server, cwd: at(server.cwd) };
  if (!('oauth' in server) || server.oauth?.clientKeyFile === undefined) return server;
  return { ...server, oauth: { ...server.oauth, clientKeyFile: at(server.oauth.clientKeyFile) } };
}

type ConfigFile = z.output<typeof ConfigSchema>;

export type Checked =
  | { readonly ok: true; readonly config: ConfigFile }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

function checkDocument({ root: tree, value, problems }: ConfigDocument): Checked {
  const { plain, rest } = plainServers(value);
  const { success, data, error } = ConfigSchema.safeParse(rest);
  if (success && problems.length === 0) return { ok: true, config: withServers(data, plain, value) };
  const root = tree();
  const known = new Set(problems.map(({ offset }) => offset));
  const found = (error?.issues ?? [])
    // One more than are reported, so that it is known that there are more.
    .slice(0, MAX_PROBLEMS + 1)
    .flatMap((issue) => (issue.code === 'unrecognized_keys' ? unknownKeys(root, issue) : [problemOf(root, issue)]))
    // Nothing else is known about a value whose variable is not set.
    .filter(({ offset }) => !known.has(offset));
  return { ok: false, problems: [...problems, ...found] };
}

/** In the order of the file. */
function withServers(config: ConfigFile, plain: ReadonlyMap<string, UpstreamServer>, value: unknown): ConfigFile {
  if (plain.size === 0) return config;
  const mcpServers: Record<string, UpstreamServer | undefined> = {};
  const given = isFields(value) ? value['mcpServers'] : undefined;
  for (const name in isFields(given) ? given : {}) mcpServers[name] = plain.get(name) ?? config.mcpServers?.[name];
  return { ...config, mcpServers };
}

function problemOf(root: Node, issue: z.core.$ZodIssue): ConfigProblem {
  const path = pathOf(issue);
  const { node, found } = nodeAt(root, path);
  const offset = issue.code === 'invalid_key' ? keyOffset({ node }) : node.offset;
  const message = found ? issueText(issue, node) : `"${String(path.at(-1))}" is missing.`;
  return { offset, path, message, action: `Expected: ${descriptionAt(path)}` };
}

const NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
};

function issueText(issue: z.core.$ZodIssue, { type, value }: Node): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  if (issue.code !== 'invalid_type' || issue.expected === 'int') return issue.message;
  const expected = NAMES[issue.expected] ?? issue.expected;
  const actual = type === 'boolean' ? String(value) : (NAMES[type] ?? type);
  return `Expected ${expected}, found ${actual}.`;
}

function unknownKeys(root: Node, issue: z.core.$ZodIssueUnrecognizedKeys): ConfigProblem[] {
  const around = pathOf(issue);
  return issue.keys.slice(0, MAX_PROBLEMS + 1).map((key) => {
    const path = [...around, key];
    const offset = keyOffset(nodeAt(root, path));
    if (key === 'token' && around[0] === 'http' && around[1] === 'tokens')
      return {
        offset,
        path,
        message: 'A token does not belong in a file.',
        action: 'Store its SHA-256 as "sha256" instead. `footbridge token NAME` creates a token and its entry. Revoke this one.',
      };
    const names = Object.keys(schemaAt(around)?.properties ?? {});
    const [near] = nearest(key, names);
    return {
      offset,
      path,
      message: `Unknown key "${keyText(key)}".`,
      action: `${near === undefined ? '' : `Did you mean "${near}"? `}Known keys: ${names.join(', ')}.`,
    };
  });
}

function pathOf({ path }: z.core.$ZodIssue): ConfigPath {
  return path.map((step) => (typeof step === 'number' ? step : String(step)));
}

/** The description of the key, or of the nearest one around it. */
function descriptionAt(path: ConfigPath): string {
  const { description } = schemaAt(path) ?? {};
  if (description !== undefined) return description;
  return path.length === 0 ? '' : descriptionAt(path.slice(0, -1));
}

function schemaAt(path: ConfigPath): z.core.JSONSchema.BaseSchema | undefined {
  return path.reduce<z.core.JSONSchema.BaseSchema | undefined>((schema, step) => {
    const inner = typeof step === 'number' ? schema?.items : (schema?.properties?.[step] ?? schema?.additionalProperties);
    return typeof inner === 'object' && !Array.isArray(inner) ? inner : undefined;
  }, wholeSchema());
}

/** Made once, when there is a problem. */
function wholeSchema(): z.core.JSONSchema.BaseSchema {
  jsonSchema ??= configJsonSchema();
  return jsonSchema;
}

let jsonSchema: z.core.JSONSchema.BaseSchema | undefined;

/** The value at a path, or the nearest one around it. */
function nodeAt(root: Node, path: ConfigPath): { readonly node: Node; readonly found: boolean } {
  const node = findNodeAtLocation(root, [...path]);
  if (node !== undefined) return { node, found: true };
  return { node: path.length === 0 ? root : nodeAt(root, path.slice(0, -1)).node, found: false };
}

function keyOffset({ node }: { readonly node: Node }): number {
  return node.parent?.type === 'property' ? node.parent.offset : node.offset;
}
