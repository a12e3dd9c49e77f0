/** What the model of a host learns of the skills, and what Footbridge adds to those that the host reads itself. */
import { sep } from 'node:path';
import type { Snapshot } from '../catalog/snapshot.js';
import { asText, type Fields, isFields } from '../json.js';
import { nativeSkills } from '../surfaces/hosts/native.js';
import type { HostProfile } from '../surfaces/hosts/profile.js';
import type { HostView } from '../surfaces/hosts/view.js';
import { escapeXml, oneLine } from '../surfaces/text.js';
import { fromHome } from './folders.js';
import type { Surroundings } from './io.js';
import { grouped, plural, tokens } from './terminal.js';

/** `clientInfo.name` of the hosts that were measured, by their ids for `install`. */
const CLIENT_NAMES: Readonly<Record<string, string>> = {
  'claude-code': 'claude-code',
  cline: '@cline/core',
  'cline-cli': '@cline/core',
  codex: 'codex-mcp-client',
  'gemini-cli': 'gemini-cli-mcp-client',
  'github-copilot-cli': 'copilot-cli',
  'kilo-code': 'kilo',
  'kimi-code': 'kimi-code',
  opencode: 'opencode',
  'qwen-code': 'qwen-cli-mcp-client',
};

/** The name under which a host connects; undefined for one that was not measured. */
export function clientNameOf(hostId: string): string | undefined {
  return Object.hasOwn(CLIENT_NAMES, hostId) ? CLIENT_NAMES[hostId] : undefined;
}

export interface ListedSkill {
  readonly name: string;
  /** With the folders between its source and it, or its server. */
  readonly qualifiedName: string;
  readonly description: string;
}

/** What a model sees of the skills before its first call. */
export interface ModelView {
  readonly skills: number;
  readonly named: number;
  readonly described: number;
  /** Of the tool `skill`, as far as the host shows it. */
  readonly tokens: number;
}

/** `tool` is the entry of `skill` in a host's tool list. */
export function modelView(profile: HostProfile, tool: Fields, skills: readonly ListedSkill[]): ModelView {
  const text = shownText(profile, tool);
  const named = skillsNamed(namesIn(text), skills);
  const described = named.filter(({ description }) => {
    const line = oneLine(description);
    return text.includes(`: ${line}\n`) || text.includes(`<description>${escapeXml(line)}</description>`);
  });
  return { skills: skills.length, named: named.length, described: described.length, tokens: tokens(text) };
}

/** Such as "47 of 47 skills with descriptions, 3,900 tokens". */
export function modelText({ described, named, skills, tokens: cost }: ModelView): string {
  if (skills === 0) return `no skills to describe, ${grouped(cost)} tokens`;
  const others = named > described ? `, ${grouped(named - described)} more by name` : '';
  return `${grouped(described)} of ${grouped(skills)} skills with descriptions${others}, ${grouped(cost)} tokens`;
}

function shownText({ parameterDescription, toolDescription }: HostProfile, { description, inputSchema }: Fields): string {
  const properties = isFields(inputSchema) && isFields(inputSchema['properties']) ? inputSchema['properties'] : {};
  const name = isFields(properties['name']) ? asText(properties['name']['description'] ?? '') : '';
  return `${asText(description ?? '').slice(0, toolDescription)}\n${name.length > parameterDescription ? '' : name}\n`;
}

function namesIn(text: string): ReadonlySet<string> {
  const lists = [...text.matchAll(/^(?:Skills|Without description): (.*)$/gm)].flatMap(([, list = '']) =>
    list.replace(/(?:, and \d+ more)?\.$/, '').split(', '),
  );
  const entries = [...text.matchAll(/^- (.+?): |<name>([^<\n]*)<\/name>/gm)].map(([, line, tag = '']) => line ?? tag);
  return new Set([...lists, ...entries]);
}

/** A skill is listed by its own name, unless another one has it. */
function skillsNamed(names: ReadonlySet<string>, skills: readonly ListedSkill[]): readonly ListedSkill[] {
  const left = new Set(names);
  const qualified = skills.filter(({ name, qualifiedName }) => qualifiedName !== name && left.delete(qualifiedName));
  const isQualified = new Set(qualified);
  return skills.filter((skill) => isQualified.has(skill) || left.delete(skill.name));
}

/** Such as "Codex reads .agents/skills itself; Footbridge adds 12 skills from ./.claude/skills and 3 servers"; undefined if it reads none of them. */
export function additionText(
  view: HostView,
  snapshot: Snapshot,
  servers: number,
  place: Pick<Surroundings, 'cwd' | 'home'>,
): string | undefined {
  const native = nativeSkills(snapshot, view);
  if (native.size === 0) return undefined;
  const read = new Set(native.values());
  const folders = view.nativeFolders.filter((path) => read.has(path)).map((path) => folderText(path, place));
  const others = snapshot.skills.filter((skill) => !native.has(skill));
  const origins = [...new Set(others.map(({ origin }) => origin))];
  const added = [
    ...(others.length === 0 ? [] : [`${plural(others.length, 'skill')} from ${listText(origins)}`]),
    ...(servers === 0 ? [] : [plural(servers, 'server')]),
  ];
  const adds = added.length === 0 ? 'no other skills' : added.join(origins.length > 1 ? ', and ' : ' and ');
  return `${view.profile.host} reads ${listText(folders)} itself; Footbridge adds ${adds}`;
}

/** As the standard folders are written: from the working folder or from the home folder. */
function folderText(path: string, { cwd, home }: Pick<Surroundings, 'cwd' | 'home'>): string {
  const inProject = path.startsWith(cwd + sep) ? `.${path.slice(cwd.length)}` : fromHome(path, { home });
  return inProject.replaceAll(sep, '/');
}

/** At most three of them. */
function listText(all: readonly string[]): string {
  const parts = all.length > 3 ? [...all.slice(0, 2), `${all.length - 2} more places`] : all;
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
