/** The surface `prompts`: each skill as a prompt, for hosts that show prompts to a person. */
import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import { skillUri } from '../catalog/skill-uri.js';
import { callName } from '../catalog/snapshot.js';
import { echo } from '../errors.js';
import { type Page, paginate } from './paging.js';
import { orProtocolError } from './resources.js';
import { loadSkill } from './tools/skill.js';

const PAGE = 1000;

export function listPrompts(catalog: Catalog, cursor: string | undefined): Page<Prompt> {
  const { snapshot } = catalog;
  const page = paginate(snapshot.skills, cursor, PAGE, (skill) => skillUri(skill));
  return {
    ...page,
    items: page.items.map((skill) => ({ name: callName(snapshot, skill), title: skill.name, description: skill.description })),
  };
}

export async function getPrompt(catalog: Catalog, name: string): Promise<GetPromptResult> {
  const skill = catalog.findSkill(name);
  if (skill === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt '${echo(name)}'. Each prompt has the name of a skill; prompts/list shows them.`,
    );
  }
  const text = await orProtocolError(skillUri(skill), () => loadSkill(catalog, skill));
  return { description: skill.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
