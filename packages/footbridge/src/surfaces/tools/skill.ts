/** The tool `skill`: loads a skill's instructions by name. */
import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { nearest } from '../../catalog/near.js';
import { callName, type Snapshot } from '../../catalog/snapshot.js';
import { echo, FootbridgeError } from '../../errors.js';
import type { ReadContext } from '../../sources/resource.js';
import { nameKey, qualifiedName, skillRoot } from '../../sources/skill-uri.js';
import type { Skill } from '../../sources/source.js';
import { catalogueOf, shorten } from '../catalogue.js';
import { CATALOGUE_BUDGET } from '../hosts/view.js';
import { errorResult, failure, jsonSchema, type OwnTool, parseInput, READ_ONLY, WHOLE_RESULTS } from './tool.js';

const Input = z.strictObject({
  name: z.string().min(1, 'Skill name cannot be empty').describe('Name of the skill to load (case-insensitive)'),
});

const HINT = 'Call skill with { "name": "<skill name>" }; list_skills shows the names.';

export const skillTool: OwnTool = {
  name: 'skill',
  describe(snapshot, view) {
    const { description, parameter } = catalogueOf(snapshot, view);
    return {
      name: 'skill',
      title: 'Load Skill',
      description,
      inputSchema: withDescription(jsonSchema(Input), 'name', parameter),
      annotations: { ...READ_ONLY, idempotentHint: true },
      // Claude Code: never held back until the model searches for it.
      _meta: { ...WHOLE_RESULTS, 'anthropic/alwaysLoad': true },
    };
  },
  async call(input, catalog, context, view) {
    if (isCommandCall(input)) return failure(`The parameter is called "name", not "command". ${HINT}`);
    const parsed = parseInput(Input, input, HINT);
    if (!parsed.ok) return parsed.result;
    const { name } = parsed.value;
    if (/[/\\]/.test(name)) return failure(`A skill name has no path separator: '${echo(name)}'. ${HINT}`);
    const skill = catalog.findSkill(name);
    if (skill === undefined) return failure(notFound(name, catalog.snapshot));
    try {
      const text = await loadSkill(catalog, skill, context);
      view.usage?.add(skill);
      return { content: [{ type: 'text', text }] };
    } catch (error) {
      if (error instanceof FootbridgeError) return errorResult(error);
      throw error;
    }
  },
};

/** What a model is given of a skill: its name, its folder, its instructions. */
export async function loadSkill(catalog: Catalog, skill: Skill, context?: ReadContext): Promise<string> {
  const { bytes } = await catalog.readSkill(skill, context);
  const base = skill.directory ?? `${skillRoot(skill)}/`;
  return `Loading: ${skill.name}\nBase directory: ${base}\n\n${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')}`;
}

function isCommandCall(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'command' in input && !('name' in input);
}

function notFound(name: string, snapshot: Snapshot): string {
  const near = nearest(
    name,
    snapshot.skills.flatMap((skill) => (skill.group.length === 0 ? [skill.name] : [skill.name, qualifiedName(skill)])),
  );
  const first = new Set(near.flatMap((each) => snapshot.byName.get(nameKey(each)) ?? []));
  const ordered = [...first, ...snapshot.skills.filter((skill) => !first.has(skill))];
  const lines: string[] = [];
  let used = 0;
  for (const skill of ordered) {
    const line = `- ${shorten(callName(snapshot, skill), LONGEST_LINE)}: ${shorten(skill.description, LONGEST_LINE)}`;
    if (used + line.length >= CATALOGUE_BUDGET) continue;
    used += line.length + 1;
    lines.push(line);
  }
  const rest = ordered.length - lines.length;
  if (rest > 0) lines.push(`… and ${rest} more: find them with list_skills({ query: "what you need" }).`);
  const list = lines.length === 0 ? '(none)' : lines.join('\n');
  return `Skill '${echo(name)}' not found.\n\nAvailable skills:\n${list}\n\nUse the exact skill name (case-insensitive) to load a skill.`;
}

const LONGEST_LINE = 300;

/** A schema with another description of one property. */
function withDescription(schema: Tool['inputSchema'], property: string, description: string): Tool['inputSchema'] {
  return { ...schema, properties: { ...schema.properties, [property]: Object.assign({}, schema.properties?.[property], { description }) } };
}
