/** The template of skills' files, listed, completed and expanded like any other. */
import type { ResourceTemplateType } from '@modelcontextprotocol/server';
import type { TemplateResource } from '../sources/resource.js';
import { parseSkillUri, SKILL_SCHEME, skillUri } from '../sources/skill-uri.js';
import { Turns } from '../turns.js';
import { parseUriTemplate } from '../uri-template.js';
import type { Catalog } from './catalog.js';

/** The heading of skills in discovery. */
export const SKILL_CATEGORY = 'skill';

export const SKILL_TEMPLATE_ENTRY: ResourceTemplateType = {
  uriTemplate: `${SKILL_SCHEME}{+path}`,
  name: 'skill-file',
  title: 'A file of a skill',
  description: 'Any file of a skill: <name>/SKILL.md, or a supporting file that SKILL.md names.',
};
const TEMPLATE = parseUriTemplate(SKILL_TEMPLATE_ENTRY.uriTemplate);

/** Every template of the catalog, with that of skills where there are skills, or nothing else. */
export function templatesOf(catalog: Catalog): readonly TemplateResource[] {
  const { skills, resources, templates, upstreams } = catalog.snapshot;
  const nothingElse = resources.length + templates.length + upstreams.length === 0;
  const isListed = templates.some(({ entry }) => entry.uriTemplate === SKILL_TEMPLATE_ENTRY.uriTemplate);
  return (skills.length > 0 || nothingElse) && !isListed ? [skillTemplate(catalog), ...templates] : templates;
}

function skillTemplate(catalog: Catalog): TemplateResource {
  return {
    entry: SKILL_TEMPLATE_ENTRY,
    template: TEMPLATE,
    category: SKILL_CATEGORY,
    requiresAdmin: false,
    examples: {},
    read: (uri, _variables, context) => catalog.read(uri, context),
    complete: (_variable, value) => completePath(catalog, value),
  };
}

/** Values for `path`: skills first, and within a skill its files. */
async function completePath(catalog: Catalog, value: string): Promise<readonly string[]> {
  const typed = value.toLowerCase();
  const starting: string[] = [];
  const turns = new Turns('call');
  for (const skill of catalog.snapshot.skills) {
    const path = skillUri(skill).slice(SKILL_SCHEME.length);
    if (path.toLowerCase().startsWith(typed)) starting.push(path);
    if (turns.isOver) await turns.next();
  }
  return starting.length > 0 ? starting : completeFile(catalog, value);
}

async function completeFile(catalog: Catalog, value: string): Promise<readonly string[]> {
  const folder = value.slice(0, value.lastIndexOf('/') + 1);
  if (parseSkillUri(SKILL_SCHEME + folder) === undefined) return [];
  const children = await catalog.list(SKILL_SCHEME + folder).catch(() => undefined);
  return (children ?? [])
    .map((child) => (child.kind === 'directory' ? `${child.uri}/` : child.uri).slice(SKILL_SCHEME.length))
    .filter((path) => path.toLowerCase().startsWith(value.toLowerCase()));
}
