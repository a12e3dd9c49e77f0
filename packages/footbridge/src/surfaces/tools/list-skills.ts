/** The tool `list_skills`: lists or searches skills. */

import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { callName, perSnapshot, type Snapshot } from '../../catalog/snapshot.js';
import { echo } from '../../errors.js';
import { skillUri } from '../../sources/skill-uri.js';
import type { Skill, SkillLocation } from '../../sources/source.js';
import type { ToolName } from '../../tool-names.js';
import { sendsStructure } from '../hosts/profile.js';
import { CursorError, paginate } from '../paging.js';
import { countWithin, roomFor } from '../parts/page.js';
import { shorten } from '../text.js';
import { type Unavailable, unavailableField, unavailableLines, unavailableOf } from '../unavailable.js';
import { failure, jsonSchema, LONGEST_QUERY, type OwnTool, parseInput, READ_ONLY, searchedPart, WHOLE_RESULTS } from './tool.js';

const PAGE = 50;
/** A search is for the best ones. */
const BEST = 10;

const Input = z.strictObject({
  query: z.string().optional(),
  cursor: z.string().optional().describe('next_cursor of the page before'),
});
/** As listed; a longer query is cut. */
const INPUT_SCHEMA = jsonSchema(
  Input.extend({ query: z.string().max(LONGEST_QUERY).optional().describe('Words to search for; leave out to list all') }),
);

/** One skill in the answer. */
interface ListedSkill {
  /** What to give to the skill tool. */
  readonly name: string;
  readonly description: string;
  /** What to give to get_skill. */
  readonly uri: string;
  readonly location: SkillLocation;
  /** The folder or server it comes from. */
  readonly origin: string;
}

/** A skill in both halves of the answer. */
interface ListedForms {
  readonly text: string;
  readonly structure: ListedSkill;
}

const TEXT = { type: 'string' };
/** Terse, since it is part of every conversation. */
const OUTPUT_SCHEMA: NonNullable<Tool['outputSchema']> = {
  type: 'object',
  properties: {
    skills: {
      type: 'array',
      items: { type: 'object', properties: { name: TEXT, description: TEXT, uri: TEXT, location: TEXT, origin: TEXT } },
    },
    next_cursor: TEXT,
  },
  required: ['skills'],
};

export const listSkillsTool: OwnTool = {
  name: 'list_skills',
  describe: (_snapshot, { profile }, listed) => ({
    name: 'list_skills',
    title: 'List Skills',
    description: `List or search the available skills: name, description, URI, location and origin of each.${waysToLoad(listed)}`,
    inputSchema: INPUT_SCHEMA,
    ...(sendsStructure(profile) ? { outputSchema: OUTPUT_SCHEMA } : {}),
    annotations: READ_ONLY,
    _meta: WHOLE_RESULTS,
  }),
  describeBriefly: (snapshot, view, listed) => {
    const { outputSchema: _, ...tool } = listSkillsTool.describe(snapshot, view, listed);
    return tool;
  },
  async call(input, catalog, _context, { profile }) {
    const parsed = parseInput(Input, input, 'Call list_skills with {} or { "query": "words" }.');
    if (!parsed.ok) return parsed.result;
    const { cursor } = parsed.value;
    const query = searchedPart(parsed.value.query);
    const { snapshot } = catalog;
    const searching = query !== '';
    const matches = searching ? await search(catalog, query) : snapshot.skills;
    try {
      const count = matches.length === 1 ? '1 skill' : `${matches.length} skills`;
      const head = searching ? `Found ${count} for '${echo(query)}'.` : `${count}.`;
      const unavailable = unavailableOf(snapshot);
      const room = roomFor(profile, head, JSON.stringify(unavailable));
      const make = () => answerWith(snapshot, { matches, cursor, most: searching ? BEST : PAGE, head, unavailable, room });
      const isFirst = !searching && cursor === undefined && unavailable.length === 0;
      const { content, structuredContent } = isFirst ? known(firstPagesOf(snapshot), room, make) : make();
      return sendsStructure(profile) ? { content, structuredContent } : { content };
    } catch (error) {
      if (error instanceof CursorError) return failure(`${error.message} Call list_skills again without a cursor.`);
      throw error;
    }
  },
};

/** The first page of all skills by room: those of hosts, which are few. */
const firstPagesOf = perSnapshot(() => new Map<number, CallToolResult>());

function known<K, V>(values: Map<K, V>, key: K, make: () => V): V {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}

interface Listing {
  readonly matches: readonly Skill[];
  readonly cursor: string | undefined;
  /** Skills on a page. */
  readonly most: number;
  readonly head: string;
  readonly unavailable: readonly Unavailable[];
  readonly room: number;
}

/** Throws a `CursorError`. */
function answerWith(snapshot: Snapshot, { matches, cursor, most, head, unavailable, room }: Listing): CallToolResult {
  const listed = (skill: Skill): ListedSkill => ({
    name: callName(snapshot, skill),
    description: skill.description.length * LONGEST_SHARE > room ? shorten(skill.description, room / LONGEST_SHARE) : skill.description,
    uri: skillUri(skill),
    location: skill.location,
    origin: skill.origin,
  });
  const made = new Map<Skill, ListedForms>();
  const formsOf = (skill: Skill) =>
    known(made, skill, () => {
      const structure = listed(skill);
      return { text: entryText(structure), structure };
    });
  const size = (start: number) => countWithin(matches, start, most, room, formsOf);
  const page = paginate(matches, cursor, size, (skill) => skillUri(skill));
  return result(head, page.items.map(formsOf), page.nextCursor, unavailable);
}

function waysToLoad(listed: ReadonlySet<ToolName>): string {
  const ways = [...(listed.has('skill') ? ['skill({ name })'] : []), ...(listed.has('get_skill') ? ['get_skill({ uri })'] : [])];
  return ways.length === 0 ? '' : ` Load one with ${ways.join(' or ')}.`;
}

/** A description takes at most this part of a host's limit. */
const LONGEST_SHARE = 8;

function entryText({ name, description, uri, location, origin }: ListedSkill): string {
  return `- ${name}: ${description}\n  URI: ${uri}\n  Location: ${location} (${origin})`;
}

/** Loaded by the first search. */
let loaded: typeof import('../../catalog/search/index.js') | undefined;

async function search(catalog: Catalog, query: string): Promise<readonly Skill[]> {
  loaded ??= await import('../../catalog/search/index.js');
  return loaded.searchSkills(catalog, query);
}

function result(
  head: string,
  listed: readonly ListedForms[],
  nextCursor: string | undefined,
  unavailable: readonly Unavailable[],
): CallToolResult {
  const entries = listed.map(({ text }) => text);
  const skills = listed.map(({ structure }) => structure);
  const more = nextCursor === undefined ? [] : [`More: list_skills with cursor "${nextCursor}".`];
  const none = skills.length === 0 ? ['Nothing to show. Try other words, or list_skills without a query.'] : [];
  return {
    content: [{ type: 'text', text: [head, ...entries, ...none, ...more, ...unavailableLines(unavailable)].join('\n') }],
    structuredContent: { skills, next_cursor: nextCursor, ...unavailableField(unavailable) },
  };
}
