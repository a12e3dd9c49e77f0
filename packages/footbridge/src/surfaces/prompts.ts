/** The surface `prompts`: those of upstreams, and each skill as one, for hosts that show prompts to people. */
import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import { findUnreadable, unavailableSkill } from '../catalog/not-found.js';
import { callName, perSnapshot, type Snapshot } from '../catalog/snapshot.js';
import { echo } from '../errors.js';
import { nameKey, skillUri } from '../sources/skill-uri.js';
import type { Skill, UpstreamPrompt } from '../sources/source.js';
import { type Page, paginate } from './paging.js';
import { orProtocolError } from './resources.js';
import { loadSkill } from './tools/skill.js';

const PAGE = 1000;

/** Those of upstreams first. `skillPrompts`: whether skills are prompts. */
export function listPrompts({ snapshot }: Catalog, cursor: string | undefined, skillPrompts: boolean): Page<Prompt> {
  const all = skillPrompts ? [...besideSkills(snapshot).values(), ...ofSkills(snapshot)] : snapshot.prompts;
  const page = paginate(all, cursor, PAGE, (each) => ('entry' in each ? `prompt ${each.entry.name}` : skillUri(each)));
  return { ...page, items: page.items.map((each) => ('entry' in each ? each.entry : toPrompt(snapshot, each))) };
}

/** The prompt of an upstream by the name that it is listed with. */
export function findShownPrompt(snapshot: Snapshot, name: string, skillPrompts: boolean): UpstreamPrompt | undefined {
  return skillPrompts ? besideSkills(snapshot).get(name) : snapshot.findPrompt(name);
}

/** By name. A prompt that shares the name of a skill from elsewhere gets its server's prefix, so that it cannot pass for the skill. */
const besideSkills = perSnapshot((snapshot): ReadonlyMap<string, UpstreamPrompt> => {
  const shown = new Map<string, UpstreamPrompt>();
  for (const prompt of snapshot.prompts) {
    const { entry, upstream } = prompt;
    const skill = snapshot.byName.get(nameKey(entry.name));
    const isTaken = skill !== undefined && skill.origin !== upstream.name;
    const name = isTaken ? `${upstream.name}__${entry.name}` : entry.name;
    const own = isTaken ? { entry: { ...entry, name }, upstream, original: () => prompt.original(entry.name) } : prompt;
    if (!shown.has(name)) shown.set(name, own);
  }
  return shown;
});

/** An upstream's prompt stands for its own skill of that name. */
function ofSkills(snapshot: Snapshot): readonly (UpstreamPrompt | Skill)[] {
  if (snapshot.prompts.length === 0) return snapshot.skills;
  return snapshot.skills.filter((skill) => !besideSkills(snapshot).has(callName(snapshot, skill)));
}

function toPrompt(snapshot: Snapshot, skill: Skill): Prompt {
  return { name: callName(snapshot, skill), title: skill.name, description: skill.description };
}

/** A skill as a prompt. */
export async function getSkillPrompt(catalog: Catalog, name: string): Promise<GetPromptResult> {
  const skill = catalog.findSkill(name);
  const unreadable = skill === undefined ? findUnreadable(catalog.snapshot, name) : undefined;
  if (unreadable !== undefined) return orProtocolError(skillUri(unreadable), () => Promise.reject(unavailableSkill(unreadable)));
  if (skill === undefined) throw noSuchPrompt(name, 'Prompts are named after skills: call prompts/list to see all.');
  const text = await orProtocolError(skillUri(skill), () => loadSkill(catalog, skill));
  return { description: skill.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

export function noSuchPrompt(name: string, hint = 'Call prompts/list to see all.'): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt '${echo(name)}'. ${hint}`);
}
