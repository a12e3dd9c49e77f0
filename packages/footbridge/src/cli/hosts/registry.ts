/** Known hosts, installed hosts, and the locations of their configurations. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { nearest } from '../../catalog/near.js';
import { ownField } from '../../json.js';
import { fromHome, withoutLinks } from '../folders.js';
import { type Agent, hostLibrary } from './library.js';

export interface McpHost {
  readonly id: string;
  readonly title: string;
  readonly format: 'json' | 'yaml' | 'toml';
  /** Whether it reads project configurations. */
  readonly hasProject: boolean;
}

type HostScope = 'project' | 'global';

export interface HostPlace {
  readonly host: McpHost;
  readonly scope: HostScope;
  /** Absolute. May be a link. */
  readonly file: string;
  readonly exists: boolean;
}

const ALIASES: Readonly<Record<string, string>> = {
  cascade: 'windsurf',
  claude: 'claude-code',
  'cline-vscode': 'cline',
  codeium: 'windsurf',
  copilot: 'github-copilot-cli',
  'copilot-cli': 'github-copilot-cli',
  gemini: 'gemini-cli',
  'github-copilot': 'vscode',
  grok: 'grok-build',
  kilo: 'kilo-code',
  kilocode: 'kilo-code',
  kimi: 'kimi-code',
  kiro: 'kiro-cli',
  mastra: 'mastracode',
  'pi-agent': 'pi',
  qwen: 'qwen-code',
  'vs-code': 'vscode',
};

/** Sorted by id. */
export async function allHosts(): Promise<readonly McpHost[]> {
  const { agents } = await hostLibrary();
  return Object.entries(agents)
    .map(([id, agent]) => hostOf(id, agent))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** By id, alias or title, case-insensitive. */
export async function findHost(name: string): Promise<McpHost | undefined> {
  const wanted = name.trim().toLowerCase();
  const id = ownField(ALIASES, wanted) ?? wanted;
  return (await allHosts()).find((host) => host.id === id || host.title.toLowerCase() === wanted);
}

/** Configurations of the installed hosts: those of the project in `folder`, and global ones. The home folder is not a project. */
export async function presentPlaces(folder: string): Promise<readonly HostPlace[]> {
  const { agents } = await hostLibrary();
  const found: (HostPlace | undefined)[] = [];
  for (const host of await allHosts()) {
    const agent = agents[host.id];
    if (agent === undefined) continue;
    if (!isHome(folder) && tracesOf(host.id, agent).some((path) => existsSync(join(folder, path))))
      found.push(await hostPlace(host, 'project', folder));
    const place = await hostPlace(host, 'global', folder);
    if (place?.exists === true || (await isOnMachine(host.id, agent))) found.push(place);
  }
  return found.filter((place) => place !== undefined);
}

/** Undefined if the host has no project configuration. */
export async function hostPlace(host: McpHost, scope: HostScope, folder: string): Promise<HostPlace | undefined> {
  const agent = (await hostLibrary()).agents[host.id];
  if (agent === undefined) return undefined;
  const cwd = resolve(folder);
  const local = scope === 'project';
  if (local && agent.localConfigPath === undefined) return undefined;
  const usual = local ? join(cwd, agent.localConfigPath ?? '') : agent.configPath;
  const file = resolve(agent.resolveConfigPath?.(agent, { local, cwd }) ?? usual);
  return { host, scope, file, exists: existsSync(file) };
}

export function isHome(folder: string): boolean {
  return withoutLinks(folder) === withoutLinks(homedir());
}

/** With `~` for the home folder. */
export function shortName(file: string): string {
  return fromHome(file, { home: homedir() });
}

/** Files in a project that show that a host is used there. */
function tracesOf(id: string, { projectDetectPaths }: Agent): readonly string[] {
  // Claude Code uses this file, too.
  const isShared = id === 'github-copilot-cli' && !existsSync(join(homedir(), '.copilot'));
  return isShared ? projectDetectPaths.filter((path) => path !== '.mcp.json') : projectDetectPaths;
}

async function isOnMachine(id: string, agent: Agent): Promise<boolean> {
  // With XDG_CONFIG_HOME, the library would check a folder that every program shares.
  if (id === 'github-copilot-cli') return existsSync(join(homedir(), '.copilot'));
  return agent.detectGlobalInstall();
}

function hostOf(id: string, { displayName, format, localConfigPath }: Agent): McpHost {
  return { id, title: displayName, format, hasProject: localConfigPath !== undefined };
}

/** Without duplicates. Throws for unknown names. */
export async function namedHosts(names: readonly string[]): Promise<readonly McpHost[]> {
  const hosts = new Map<string, McpHost>();
  for (const name of names) {
    const host = await findHost(name);
    if (host === undefined) throw new Error(await unknownHost(name));
    hosts.set(host.id, host);
  }
  return [...hosts.values()];
}

export async function hostList(): Promise<string> {
  return (await allHosts()).map(({ id }) => id).join(', ');
}

async function unknownHost(name: string): Promise<string> {
  const [near] = nearest(
    name,
    (await allHosts()).map(({ id }) => id),
  );
  return `Unknown host "${name}".${near === undefined ? '' : ` Did you mean ${near}?`} Known hosts: ${await hostList()}`;
}
