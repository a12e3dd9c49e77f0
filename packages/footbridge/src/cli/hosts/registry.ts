/** Which hosts there are, which of them are here, and where each keeps its configuration. */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { ownField } from '../../json.js';
import { type Agent, hostLibrary } from './library.js';

export interface McpHost {
  readonly id: string;
  /** For people. */
  readonly title: string;
  readonly format: 'json' | 'yaml' | 'toml';
  /** Whether it reads a configuration of a project, besides the person's. */
  readonly hasProject: boolean;
}

export type HostScope = 'project' | 'global';

/** One configuration file of a host. */
export interface HostPlace {
  readonly host: McpHost;
  readonly scope: HostScope;
  /** Absolute. May be a link. */
  readonly file: string;
  readonly exists: boolean;
}

/** Other names that people know them by. */
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

/** All that are known, in the order of their names. */
export async function allHosts(): Promise<readonly McpHost[]> {
  const { agents } = await hostLibrary();
  return Object.entries(agents)
    .map(([id, agent]) => hostOf(id, agent))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The host of an id, an alias or a title, in any case. */
export async function findHost(name: string): Promise<McpHost | undefined> {
  const wanted = name.trim().toLowerCase();
  const id = ownField(ALIASES, wanted) ?? wanted;
  return (await allHosts()).find((host) => host.id === id || host.title.toLowerCase() === wanted);
}

/** The places of the hosts that are here: project ones of `folder`, and those of this machine. In the home folder there is no project. */
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

/** Where a host keeps its configuration; undefined where it has none for projects. */
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

/** Whether a folder is the person's home, where no project is. */
export function isHome(folder: string): boolean {
  return real(folder) === real(homedir());
}

/** A path as people write it: from `~` on where it is in the home folder. */
export function shortName(file: string): string {
  const home = homedir();
  if (file === home) return '~';
  return home !== sep && file.startsWith(`${home}${sep}`) ? `~${file.slice(home.length)}` : file;
}

/** What in a project shows that a host is used there. */
function tracesOf(id: string, { projectDetectPaths }: Agent): readonly string[] {
  // The file that it has in common with Claude Code shows nothing.
  const isShared = id === 'github-copilot-cli' && !existsSync(join(homedir(), '.copilot'));
  return isShared ? projectDetectPaths.filter((path) => path !== '.mcp.json') : projectDetectPaths;
}

async function isOnMachine(id: string, agent: Agent): Promise<boolean> {
  // The library looks for the folder above its file, which with XDG_CONFIG_HOME is everybody's.
  if (id === 'github-copilot-cli') return existsSync(join(homedir(), '.copilot'));
  return agent.detectGlobalInstall();
}

function hostOf(id: string, { displayName, format, localConfigPath }: Agent): McpHost {
  return { id, title: displayName, format, hasProject: localConfigPath !== undefined };
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
