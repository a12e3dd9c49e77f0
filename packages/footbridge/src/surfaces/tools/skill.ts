/** The tool `skill`: loads a skill's instructions by name. */
import type { TextContent, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { nearSkills } from '../../catalog/near-skills.js';
import { findUnreadable, unavailableSkill } from '../../catalog/not-found.js';
import { callName, perSnapshot, type Snapshot } from '../../catalog/snapshot.js';
import { echo, FootbridgeError } from '../../errors.js';
import { isFields } from '../../json.js';
import { setJsonText } from '../../json-text.js';
import type { ReadContext } from '../../sources/resource.js';
import { skillRoot } from '../../sources/skill-uri.js';
import { isUpstreamTool, type Skill, type SkillFileContent } from '../../sources/source.js';
import type { ToolName } from '../../tool-names.js';
import { briefCatalogueOf, type Catalogue, catalogueOf, withoutSearch } from '../catalogue/index.js';
import type { HostProfile } from '../hosts/profile.js';
import { CATALOGUE_BUDGET } from '../hosts/view.js';
import {
  continues,
  isPartField,
  isWhole,
  PART_FIELDS,
  PART_HINT,
  partOf,
  type TextCall,
  withBriefPartProperties,
  withPartProperties,
} from '../parts/part.js';
import { jsonBytes } from '../parts/size.js';
import { shorten } from '../text.js';
import { errorResult, failure, jsonSchema, type OwnTool, parseInput, READ_ONLY, WHOLE_RESULTS } from './tool.js';

const Which = z.strictObject({
  name: z.string().min(1, 'Skill name cannot be empty').describe('Name of the skill to load (case-insensitive)'),
});
const Input = Which.extend(PART_FIELDS);
const INPUT_SCHEMA = withPartProperties(jsonSchema(Which));
const BRIEF_SCHEMA = withBriefPartProperties(jsonSchema(Which));

const HINT = 'Call skill with { "name": "<skill name>" }; list_skills shows the names.';

export const skillTool: OwnTool = {
  name: 'skill',
  describe: (snapshot, view, listed) => described(catalogueOf(snapshot, view), INPUT_SCHEMA, listed),
  describeBriefly: (snapshot, view, listed) => described(briefCatalogueOf(snapshot, view), BRIEF_SCHEMA, listed),
  async call(input, catalog, context, { profile, usage }) {
    if (isCommandCall(input)) return failure(`The parameter is called "name", not "command". ${HINT}`);
    const parsed = isPlain(input)
      ? ({ ok: true, value: input } as const)
      : parseInput(Input, input, (field) => (isPartField(field) ? PART_HINT : HINT));
    if (!parsed.ok) return parsed.result;
    const { name, ...part }: z.infer<typeof Input> = parsed.value;
    if (/[/\\]/.test(name)) return failure(`A skill name has no path separator: '${echo(name)}'. ${HINT}`);
    const skill = catalog.findSkill(name);
    if (skill === undefined) {
      const unreadable = findUnreadable(catalog.snapshot, name);
      return unreadable === undefined ? failure(await notFound(name, catalog, profile)) : errorResult(unavailableSkill(unreadable));
    }
    try {
      const call: TextCall = { tool: 'skill', which: { name: name.trim() }, input: part, catalog, context, profile };
      const block = await loadPart(skill, call);
      if (!continues(call)) usage?.add(skill);
      return { content: [block] };
    } catch (error) {
      if (error instanceof FootbridgeError) return errorResult(error);
      throw error;
    }
  },
};

function described({ description, parameter }: Catalogue, schema: Tool['inputSchema'], listed: ReadonlySet<ToolName>): Tool {
  const shown = listed.has('list_skills') ? (text: string) => text : withoutSearch;
  return {
    name: 'skill',
    title: 'Load Skill',
    description: shown(description),
    inputSchema: withDescription(schema, 'name', shown(parameter)),
    annotations: { ...READ_ONLY, idempotentHint: true },
    // Claude Code: never held back until the model searches for it.
    _meta: { ...WHOLE_RESULTS, 'anthropic/alwaysLoad': true },
  };
}

/** The usual input, a name and nothing else, needs no schema. */
function isPlain(input: unknown): input is { name: string } {
  return isFields(input) && typeof input['name'] === 'string' && input['name'] !== '' && Object.keys(input).length === 1;
}

/** What a model is given of a skill: its name, its folder, its instructions. */
export async function loadSkill(catalog: Catalog, skill: Skill, context?: ReadContext): Promise<string> {
  return loadedText(catalog.snapshot, skill, await catalog.readSkill(skill, context)).text;
}

/** The same, or a part of it. */
async function loadPart(skill: Skill, call: TextCall): Promise<TextContent> {
  const { catalog, context } = call;
  const content = await (continues(call) ? catalog.continued : catalog).readSkill(skill, context);
  const loaded = loadedText(catalog.snapshot, skill, content);
  const { text } = loaded;
  if (isWhole(text, 0, call)) return loaded.block;
  const part = await partOf(text, content, 0, call);
  if (part.fields.next !== undefined && !continues(call)) catalog.continued.holdSkill(skill, content, context);
  return { type: 'text', text: part.line + part.text };
}

/** The text of a skill, as long as its content is kept: decoding and escaping it takes longer than the rest of a call. */
class LoadedText {
  readonly skill: Skill;
  readonly prefixes: Prefixes;
  readonly text: string;
  #block: TextContent | undefined;

  constructor(skill: Skill, prefixes: Prefixes, content: SkillFileContent) {
    this.skill = skill;
    this.prefixes = prefixes;
    this.text = headOf(skill, prefixes) + decode(content);
  }

  /** The whole text. */
  get block(): TextContent {
    if (this.#block === undefined) {
      this.#block = { type: 'text', text: this.text };
      if (this.text.length <= MAX_WRITTEN) setJsonText(this.#block, 'text', JSON.stringify(this.text));
      Object.freeze(this.#block);
    }
    return this.#block;
  }
}

/** The JSON of a longer text is not kept beside it. */
const MAX_WRITTEN = 16 * 1024;

const loadedTexts = new WeakMap<SkillFileContent, LoadedText>();

function loadedText(snapshot: Snapshot, skill: Skill, content: SkillFileContent): LoadedText {
  const prefixes = prefixesOf(snapshot);
  let loaded = loadedTexts.get(content);
  if (loaded?.skill !== skill || loaded.prefixes !== prefixes) {
    loaded = new LoadedText(skill, prefixes, content);
    loadedTexts.set(content, loaded);
  }
  return loaded;
}

function headOf(skill: Skill, prefixes: Prefixes): string {
  const base = skill.directory ?? `${skillRoot(skill)}/`;
  const prefix = skill.directory === undefined ? prefixes.get(skill.origin) : undefined;
  const tools = prefix === undefined ? '' : `\nTools of the server '${skill.origin}' are named ${prefix}<tool> here.`;
  return `Loading: ${skill.name}\nBase directory: ${base}${tools}\n\n`;
}

function decode({ bytes }: SkillFileContent): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** What is put before the names of tools, by upstream: a skill uses the names that its server gave them. */
type Prefixes = ReadonlyMap<string, string>;

const prefixesOf = perSnapshot(({ tools }): Prefixes => {
  const prefixes = new Map<string, string>();
  for (const tool of tools) {
    // One that is prefixed only because of a built-in name implies nothing about the others.
    if (!isUpstreamTool(tool) || tool.shownWhen !== undefined) continue;
    const { name } = tool.entry;
    const prefix = name.slice(0, name.length - tool.original(name).length);
    if (prefix !== '') prefixes.set(tool.upstream.name, prefix);
  }
  return prefixes;
});

function isCommandCall(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'command' in input && !('name' in input);
}

async function notFound(name: string, catalog: Catalog, { result }: HostProfile): Promise<string> {
  const first = new Set(await nearSkills(catalog, name));
  const { snapshot } = catalog;
  const budget = Math.min(CATALOGUE_BUDGET, result - AROUND_LIST);
  const lines: string[] = [];
  let used = 0;
  for (const skill of nearestFirst(first, snapshot)) {
    const line = `- ${shorten(callName(snapshot, skill), LONGEST_LINE)}: ${shorten(skill.description, LONGEST_LINE)}`;
    const cost = jsonBytes(line) + 2;
    if (used + cost > budget) break;
    used += cost;
    lines.push(line);
  }
  const rest = snapshot.skills.length - lines.length;
  if (rest > 0) lines.push(`… and ${rest} more: find them with list_skills({ query: "what you need" }).`);
  const list = lines.length === 0 ? '(none)' : lines.join('\n');
  return `Skill '${echo(name)}' not found.\n\nAvailable skills:\n${list}\n\nUse the exact skill name (case-insensitive) to load a skill.`;
}

function* nearestFirst(near: ReadonlySet<Skill>, { skills }: Snapshot): Generator<Skill> {
  yield* near;
  for (const skill of skills) if (!near.has(skill)) yield skill;
}

const LONGEST_LINE = 300;
/** More than the message takes without the list. */
const AROUND_LIST = 1000;

/** A schema with another description of one property. */
function withDescription(schema: Tool['inputSchema'], property: string, description: string): Tool['inputSchema'] {
  return { ...schema, properties: { ...schema.properties, [property]: Object.assign({}, schema.properties?.[property], { description }) } };
}
