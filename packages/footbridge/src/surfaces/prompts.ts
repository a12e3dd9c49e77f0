/** The surface `prompts`: those of upstreams, and each skill as one, for hosts that show prompts to people. */
import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import { callName, type Snapshot } from '../catalog/snapshot.js';
import { echo } from '../errors.js';
import { skillUri } from '../sources/skill-uri.js';
import type { Skill, UpstreamPrompt } from '../sources/source.js';
import { type Page, paginate } from './paging.js';
import { orProtocolError } from './resources.js';
import { loadSkill } from './tools/skill.js';

const PAGE = 1000;

/** Those of upstreams first; a skill with the name of one is left out. `skillPrompts`: whether skills are prompts. */
export function listPrompts({ snapshot }: Catalog, cursor: string | undefined, skillPrompts: boolean): Page<Prompt> {
  const all = [...snapshot.prompts, ...(skillPrompts ? ofSkills(snapshot) : [])];
  const page = paginate(all, cursor, PAGE, (each) => ('entry' in each ? `prompt ${each.entry.name}` : skillUri(each)));
  return { ...page, items: page.items.map((each) => ('entry' in each ? each.entry : toPrompt(snapshot, each))) };
}

function ofSkills(snapshot: Snapshot): readonly (UpstreamPrompt | Skill)[] {
  if (snapshot.prompts.length === 0) return snapshot.skills;
  return snapshot.skills.filter((skill) => snapshot.findPrompt(callName(snapshot, skill)) === undefined);
}

function toPrompt(snapshot: Snapshot, skill: Skill): Prompt {
  return { name: callName(snapshot, skill), title: skill.name, description: skill.description };
}

/** A skill as a prompt. */
export async function getSkillPrompt(catalog: Catalog, name: string): Promise<GetPromptResult> {
  const skill = catalog.findSkill(name);
  if (skill === undefined) throw noSuchPrompt(name, 'Prompts are named after skills: call prompts/list to see all.');
  const text = await orProtocolError(skillUri(skill), () => loadSkill(catalog, skill));
  return { description: skill.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

export function noSuchPrompt(name: string, hint = 'Call prompts/list to see all.'): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt '${echo(name)}'. ${hint}`);
}
