/** MCP servers of plugins, as entries of `mcpServers`. They are only described here: the user decides whether to use them. */
import { join, resolve } from 'node:path';
import { echo } from '../../../errors.js';
import { type Fields, isFields } from '../../../json.js';
import { isInside } from '../../skills/folders.js';
import { joined, listed, type PluginFiles } from './manifest.js';

/** As in `mcpServers`. */
export type ServerSetting =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly type: string; readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/** A server, or why it cannot be used. */
export type PluginServer = { readonly name: string; readonly plugin: string } & (
  | { readonly setting: ServerSetting }
  | { readonly problem: string }
);

/** A plugin in the staged files. */
export interface PluginPlaceOnDisk {
  readonly plugin: string;
  readonly root: string;
  /** The location of the files on this machine, if they are not in the store: fetched files are never run. */
  readonly folder: string | undefined;
  readonly files: PluginFiles;
}

const AGENT_FILE = 'mcp.json';
const CLAUDE_FILE = '.mcp.json';
const AGENT_SCHEMA = /^https:\/\/agent-plugins\.org\/schemas\/1\.[01]\.0\/mcp\.schema\.json$/;
const MAX_SERVERS = 200;

/** Of Agent Plugins: one file, and variables of the environment are not expanded. */
export function agentServers(place: PluginPlaceOnDisk): readonly PluginServer[] {
  const file = joined(place.root, AGENT_FILE);
  const document = place.files.read(file);
  if (document === undefined) return [];
  const { $schema, mcpServers } = document;
  if (typeof $schema !== 'string' || !AGENT_SCHEMA.test($schema) || !isFields(mcpServers)) {
    place.files.problem(file, 'It has no supported "$schema", or no "mcpServers".');
    return [];
  }
  return serversOf(mcpServers, place, (text) => text.replaceAll('${', () => '$${'));
}

/** Of Claude Code: a file, and those that manifests name or contain. */
export function claudeServers(place: PluginPlaceOnDisk, declared: readonly unknown[]): readonly PluginServer[] {
  const { files, root } = place;
  const own = joined(root, CLAUDE_FILE);
  const inFiles = new Set(files.has(own) ? [own] : []);
  const documents: Fields[] = [];
  for (const each of declared) {
    if (isFields(each)) documents.push(each);
    else {
      const path = files.below(root, each, joined(root, '.claude-plugin/plugin.json'));
      if (path !== undefined && files.has(path)) inFiles.add(path);
      else if (path !== undefined) files.problem(path, 'It should have MCP servers, and was not found.');
    }
  }
  for (const path of inFiles) documents.push(files.read(path) ?? {});
  return documents.flatMap((document) => {
    const servers = document['mcpServers'] ?? document;
    return isFields(servers) ? serversOf(servers, place, (text) => text) : [];
  });
}

function serversOf(servers: Fields, place: PluginPlaceOnDisk, literal: (text: string) => string): readonly PluginServer[] {
  return Object.entries(servers)
    .slice(0, MAX_SERVERS)
    .map(([name, server]) => {
      const outcome = settingOf(server, place, literal);
      const named = { name: echo(name), plugin: place.plugin };
      return typeof outcome === 'string' ? { ...named, problem: outcome } : { ...named, setting: outcome };
    });
}

const USES_FILES = 'It uses files of the plugin, and nothing that was fetched is run. Clone the plugin, and add its folder.';
const OTHER_PLACEHOLDER = /\$\{(?:CLAUDE_|PLUGIN_|user_config\.)[\w.]*\}/;

/** The setting, or why there is none. */
function settingOf(server: unknown, place: PluginPlaceOnDisk, literal: (text: string) => string): ServerSetting | string {
  if (!isFields(server)) return 'It is not an object.';
  const { headers, type, url } = server;
  if (typeof url !== 'string' || server['command'] !== undefined) return commandSetting(server, place, literal);
  const fixed = textsOf(headers, literal);
  if (fixed === undefined) return 'Its headers are not texts.';
  const kind = type === 'sse' ? 'sse' : 'http';
  return withoutPlaceholders({ type: kind, url: literal(url), ...(Object.keys(fixed).length === 0 ? {} : { headers: fixed }) });
}

function commandSetting(server: Fields, { folder, root }: PluginPlaceOnDisk, literal: (text: string) => string): ServerSetting | string {
  const { args, command, cwd } = server;
  const own = folder === undefined ? undefined : join(folder, root);
  const expand = (text: string) => literal(text).replace(ROOT, () => own ?? '');
  const words = listed(args).flatMap((word) => (typeof word === 'string' ? [word] : []));
  const env = textsOf(server['env'], expand);
  if (typeof command !== 'string' || command === '') return 'It has neither a command nor a url.';
  if (words.length < listed(args).length || env === undefined) return 'Its arguments or variables are not texts.';
  if (cwd !== undefined && typeof cwd !== 'string') return 'Its working folder is not a text.';
  const isRelative = /^\.{1,2}(?:[\\/]|$)/.test(command);
  if (own === undefined && (isRelative || cwd !== undefined || JSON.stringify(server).search(ROOT) !== -1)) return USES_FILES;
  const program = isRelative && own !== undefined ? resolve(own, command) : expand(command);
  const start = own === undefined ? undefined : resolve(own, expand(cwd ?? ''));
  if (own !== undefined && ((isRelative && !isInside(own, program)) || !isInside(own, start ?? own))) return LEADS_OUT;
  return withoutPlaceholders({
    command: program,
    ...(words.length === 0 ? {} : { args: words.map(expand) }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(start === undefined ? {} : { cwd: start }),
  });
}

/** Where the plugin is; escaped if the format has no variables of the environment. */
const ROOT = /\$?\$\{(?:CLAUDE_)?PLUGIN_ROOT\}/g;
const LEADS_OUT = 'Its command or its working folder leads out of the plugin.';

/** Settings that only another host can fill in. */
function withoutPlaceholders(setting: ServerSetting): ServerSetting | string {
  const placeholder = OTHER_PLACEHOLDER.exec(JSON.stringify(setting))?.[0];
  return placeholder === undefined ? setting : `It needs ${echo(placeholder)}, which Footbridge does not have.`;
}

function textsOf(value: unknown, change: (text: string) => string): Readonly<Record<string, string>> | undefined {
  if (value === undefined) return {};
  if (!isFields(value)) return undefined;
  const entries = Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, change(text)] as const] : []));
  return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : undefined;
}
