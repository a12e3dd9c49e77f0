/**
 * Plugins and marketplaces in a source: which of its skills are theirs, and which MCP servers they bring. Formats: Agent Plugins
 * 1.0 (`plugin.json`), and Claude Code's `.claude-plugin/plugin.json` and `.claude-plugin/marketplace.json`.
 */
import { asText, type Fields, isFields } from '../../../json.js';
import type { StagedFile } from '../staging.js';
import type { UnusableSkill } from '../tree.js';
import { type PluginElsewhere, placeElsewhere } from './elsewhere.js';
import { joined, listed, named, PluginFiles } from './manifest.js';
import { agentServers, claudeServers, type PluginServer } from './servers.js';

/** The plugins of a source. */
export interface PluginContent {
  /** Whether the skill in a folder belongs to a plugin. Undefined if the source has no plugins, or they have no folders. */
  readonly owns: ((folder: string) => boolean) | undefined;
  readonly servers: readonly PluginServer[];
  /** Plugins that a marketplace lists and that are in another source. */
  readonly elsewhere: readonly PluginElsewhere[];
  /** Of the files that describe plugins. */
  readonly problems: readonly UnusableSkill[];
}

const MARKETPLACE = '.claude-plugin/marketplace.json';
const CLAUDE = '.claude-plugin/plugin.json';
const AGENT = 'plugin.json';
const AGENT_SCHEMA = /^https:\/\/agent-plugins\.org\/schemas\/([^/]{1,20})\/plugin\.schema\.json$/;
const SUPPORTED = new Set(['1.0.0', '1.1.0']);
const AGENT_NAME = /^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/;
const MAX_PLUGINS = 2000;

/** A folder whose skills are those of a plugin. */
interface SkillFolder {
  readonly path: string;
  /** Whether only its immediate subfolders are searched. */
  readonly isFlat: boolean;
}

interface Found {
  readonly folders: SkillFolder[];
  readonly servers: PluginServer[];
  readonly elsewhere: PluginElsewhere[];
}

/** `folder` is the location of the files on this machine, if any: servers may then use the files of their plugin. */
export function pluginsIn(staged: readonly StagedFile[], folder?: string): PluginContent {
  const files = new PluginFiles(staged);
  const found: Found = { folders: [], servers: [], elsewhere: [] };
  const top = topOf(staged, files);
  const marketplace = top === undefined ? undefined : files.read(joined(top, MARKETPLACE));
  if (top !== undefined && marketplace !== undefined) addMarketplace(top, marketplace, files, found, folder);
  else if (top !== undefined) addPlugin({ root: top, entry: {} }, files, found, folder);
  const { elsewhere, folders, servers } = found;
  return { owns: folders.length === 0 ? undefined : ownerOf(folders), servers, elsewhere, problems: files.problems };
}

/** Archives often have one folder around everything. */
function topOf(staged: readonly StagedFile[], files: PluginFiles): string | undefined {
  const [first] = staged;
  const wrapper = first?.path.slice(0, Math.max(0, first.path.indexOf('/'))) ?? '';
  const isWrapped = wrapper !== '' && staged.every(({ path }) => path.startsWith(`${wrapper}/`));
  const hasManifest = (top: string) => [MARKETPLACE, CLAUDE, AGENT].some((name) => files.has(joined(top, name)));
  return ['', ...(isWrapped ? [wrapper] : [])].find(hasManifest);
}

/** A hostile manifest may list very many folders. */
function ownerOf(folders: readonly SkillFolder[]): (folder: string) => boolean {
  const all = new Set(folders.map(({ path }) => path));
  const deep = new Set(folders.flatMap(({ isFlat, path }) => (isFlat ? [] : [path])));
  return (folder) => {
    if (all.has(folder) || (folder !== '' && all.has(parentOf(folder)))) return true;
    for (let above = parentOf(folder); above !== ''; above = parentOf(above)) if (deep.has(above)) return true;
    return deep.has('');
  };
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function addMarketplace(top: string, marketplace: Fields, files: PluginFiles, found: Found, folder?: string): void {
  const file = joined(top, MARKETPLACE);
  const { metadata, plugins } = marketplace;
  const entries: readonly unknown[] = Array.isArray(plugins) ? plugins.slice(0, MAX_PLUGINS) : [];
  if (!Array.isArray(plugins)) files.problem(file, 'It has no list of plugins.');
  const base = isFields(metadata) && metadata['pluginRoot'] !== undefined ? files.below(top, metadata['pluginRoot'], file) : top;
  for (const entry of entries) {
    if (!isFields(entry)) files.problem(file, 'A plugin is not an object.');
    else if (isFields(entry['source'])) addElsewhere(entry, entry['source'], file, files, found);
    else {
      const root = base === undefined ? undefined : files.below(base, entry['source'], file);
      if (root !== undefined) addPlugin({ root, entry }, files, found, folder);
    }
  }
}

function addElsewhere({ name }: Fields, source: Fields, file: string, files: PluginFiles, found: Found): void {
  const plugin = named(name, 'plugin');
  const specification = placeElsewhere(source);
  if (specification === undefined) files.problem(file, `The plugin '${plugin}' is in a place that is not supported.`);
  else found.elsewhere.push({ name: plugin, source: specification });
}

/** A plugin and its entry in a marketplace. */
interface PluginPlace {
  readonly root: string;
  readonly entry: Fields;
}

function addPlugin({ entry, root }: PluginPlace, files: PluginFiles, found: Found, folder?: string): void {
  const agent = files.read(joined(root, AGENT));
  const isAgent = agent !== undefined && typeof agent['$schema'] === 'string' && agent['$schema'].includes('agent-plugins.org');
  if (isAgent && !isValidAgent(agent, joined(root, AGENT), files)) return;
  // If a marketplace has the whole definition, a manifest is ignored.
  const isWhole = entry['strict'] === false;
  const claude = (isWhole ? undefined : files.read(joined(root, CLAUDE))) ?? {};
  const plugin = named(entry['name'] ?? claude['name'] ?? agent?.['name'], 'plugin');
  const own = [...listed(claude['skills']), ...listed(entry['skills'])];
  for (const path of own) {
    const skills = files.below(root, path, joined(root, CLAUDE));
    if (skills !== undefined) found.folders.push({ path: skills, isFlat: false });
  }
  if (!(isWhole && own.length > 0)) found.folders.push({ path: joined(root, 'skills'), isFlat: isAgent });
  if (files.has(joined(root, 'SKILL.md'))) found.folders.push({ path: root, isFlat: true });
  const place = { plugin, root, folder, files };
  if (isAgent) found.servers.push(...agentServers(place));
  found.servers.push(...claudeServers(place, [...listed(claude['mcpServers']), ...listed(entry['mcpServers'])]));
}

/** As the specification requires; otherwise nothing of the plugin is used. */
function isValidAgent({ $schema, name }: Fields, file: string, files: PluginFiles): boolean {
  const version = AGENT_SCHEMA.exec(asText($schema))?.[1];
  const reason =
    version === undefined || !SUPPORTED.has(version)
      ? 'Its version of Agent Plugins is not supported.'
      : typeof name !== 'string' || !AGENT_NAME.test(name)
        ? 'Its name is not valid.'
        : undefined;
  if (reason !== undefined) files.problem(file, reason);
  return reason === undefined;
}
