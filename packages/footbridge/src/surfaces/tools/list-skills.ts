/** The tool `list_skills`: lists or searches skills. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { searchSkills } from '../../catalog/search.js';
import { callName } from '../../catalog/snapshot.js';
import { echo } from '../../errors.js';
import { skillUri } from '../../sources/skill-uri.js';
import type { SkillLocation } from '../../sources/source.js';
import { CursorError, paginate } from '../paging.js';
import { type Unavailable, unavailableField, unavailableLines, unavailableOf } from '../unavailable.js';
import { failure, jsonSchema, type OwnTool, parseInput, READ_ONLY, WHOLE_RESULTS } from './tool.js';

const PAGE = 50;
/** Each word costs a search. */
const LONGEST_QUERY = 500;

const Input = z.strictObject({
  query: z.string().max(LONGEST_QUERY).optional().describe('Words to search for; leave out to list all'),
  cursor: z.string().optional().describe('next_cursor of the page before'),
});

/** One skill in the answer. It has no output schema, which would be part of every conversation. */
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

export const listSkillsTool: OwnTool = {
  name: 'list_skills',
  describe: () => ({
    name: 'list_skills',
    title: 'List Skills',
    description:
      'List or search the available skills: name, description, URI, location and origin of each. Load one with skill({ name }) or get_skill({ uri }).',
    inputSchema: jsonSchema(Input),
    annotations: READ_ONLY,
    _meta: WHOLE_RESULTS,
  }),
  async call(input, catalog) {
    const parsed = parseInput(Input, input, 'Call list_skills with {} or { "query": "words" }.');
    if (!parsed.ok) return parsed.result;
    const { query, cursor } = parsed.value;
    const { snapshot } = catalog;
    const searching = query !== undefined && query.trim() !== '';
    const matches = searching ? await searchSkills(snapshot, query) : snapshot.skills;
    try {
      const page = paginate(matches, cursor, PAGE, (skill) => skillUri(skill));
      const skills = page.items.map((skill) => ({
        name: callName(snapshot, skill),
        description: skill.description,
        uri: skillUri(skill),
        location: skill.location,
        origin: skill.origin,
      }));
      const count = matches.length === 1 ? '1 skill' : `${matches.length} skills`;
      const head = searching ? `Found ${count} for '${echo(query)}'.` : `${count}.`;
      return result(head, skills, page.nextCursor, unavailableOf(snapshot));
    } catch (error) {
      if (error instanceof CursorError) return failure(`${error.message} Call list_skills again without a cursor.`);
      throw error;
    }
  },
};

function result(
  head: string,
  skills: readonly ListedSkill[],
  nextCursor: string | undefined,
  unavailable: readonly Unavailable[],
): CallToolResult {
  const entries = skills.map(
    (skill) => `- ${skill.name}: ${skill.description}\n  URI: ${skill.uri}\n  Location: ${skill.location} (${skill.origin})`,
  );
  const more = nextCursor === undefined ? [] : [`More: list_skills with cursor "${nextCursor}".`];
  const none = skills.length === 0 ? ['Nothing to show. Try other words, or list_skills without a query.'] : [];
  return {
    content: [{ type: 'text', text: [head, ...entries, ...none, ...more, ...unavailableLines(unavailable)].join('\n') }],
    structuredContent: { skills, next_cursor: nextCursor, ...unavailableField(unavailable) },
  };
}
