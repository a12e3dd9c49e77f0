/** The tool `find_tools`: finds upstream tools by what they do, where there are too many to list. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { MAX_COMPARED, nearest } from '../../catalog/near.js';
import { loadToolSearch } from '../../catalog/search/preload.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import { echo } from '../../errors.js';
import { type ContributedTool, isUpstreamTool, nameOfTool } from '../../sources/source.js';
import type { ToolName } from '../../tool-names.js';
import { Turns } from '../../turns.js';
import { sendsStructure } from '../hosts/profile.js';
import { type HostView, perView } from '../hosts/view.js';
import { type ItemForms, itemBytes, roomFor } from '../parts/page.js';
import { jsonBytes } from '../parts/size.js';
import { oneLine, shorten } from '../text.js';
import { definitionsOf, type FoundDefinition } from '../tool-search/definition.js';
import { callingToolOf } from '../tool-search/listing.js';
import { serverLines, serverNames } from '../tool-search/servers.js';
import { unavailableLines, unavailableOf } from '../unavailable.js';
import { jsonSchema, type OwnTool, parseInput, READ_ONLY, searchedPart, WHOLE_RESULTS } from './tool.js';

/** Definitions that are returned, and what all but the first may take. */
const BEST = 5;
const MAX_BYTES = 20_000;
/** Further matches that are named. */
const MAX_NAMED = 10;
/** Characters of the description, regardless of the host's limit. */
const LONGEST_DESCRIPTION = 1990;
/** Room for at least the names of many servers. */
export const SHORTEST_DESCRIPTION = 1350;
/** How often a description is shortened until it fits. */
const MAX_TRIES = 4;
const LONGEST_SUMMARY = 80;

const Input = z.strictObject({
  query: z.string().describe('What you want to do, in plain words, such as "create a pull request"; or the name of a tool'),
});

interface NamedTool {
  readonly name: string;
  readonly description: string;
}

/** A definition in both halves of the answer. */
interface DefinitionForms extends ItemForms {
  readonly structure: FoundDefinition;
  readonly bytes: number;
}

/** Terse, since it is part of every conversation. */
const OUTPUT_SCHEMA: NonNullable<Tool['outputSchema']> = {
  type: 'object',
  properties: { tools: { type: 'array', items: { type: 'object' } }, more: { type: 'array', items: { type: 'object' } } },
  required: ['tools'],
};

export const findToolsTool: OwnTool = {
  name: 'find_tools',
  describe: (snapshot, view) => ({
    name: 'find_tools',
    title: 'Find Tools',
    description: searchDescription(snapshot, view),
    inputSchema: jsonSchema(Input),
    ...(sendsStructure(view.profile) ? { outputSchema: OUTPUT_SCHEMA } : {}),
    annotations: READ_ONLY,
    _meta: { ...WHOLE_RESULTS, 'anthropic/alwaysLoad': true },
  }),
  async call(input, catalog, _context, { profile }, choice) {
    const parsed = parseInput(Input, input, 'Call find_tools with { "query": "what you want to do" }.');
    if (!parsed.ok) return parsed.result;
    const query = searchedPart(parsed.value.query);
    const { tools, isComplete } = await search(catalog, query);
    const notes = [
      ...(isComplete ? [] : ['Not all tools are indexed yet. Search again in a moment if none of these fits.']),
      ...unavailableLines(unavailableOf(catalog.snapshot)),
    ];
    const result =
      tools.length === 0
        ? nothingFound(catalog.snapshot, query, notes)
        : await found({ tools, callerOf: (tool) => callingToolOf(tool, catalog.snapshot, choice) }, query, notes, profile);
    return sendsStructure(profile) ? result : { content: result.content };
  },
};

const HEAD =
  'Find tools of the servers below by what they do. Search before you say that something cannot be done. ' +
  'Returns the best matches with their definitions. Call a match with the tool that its call_with names.';

/** With the servers and what each is for, as far as the host shows it. */
export const searchDescription = perView((snapshot, { profile }): string => {
  return descriptionWithin(snapshot, Math.min(profile.toolDescription, LONGEST_DESCRIPTION));
});

/** As it is listed in at most `room` bytes, with as much about the servers as fits. */
export function findToolsWithin(snapshot: Snapshot, view: HostView, listed: ReadonlySet<ToolName>, room: number): Tool {
  const { outputSchema: _, description = '', ...tool } = findToolsTool.describe(snapshot, view, listed);
  const left = room - Buffer.byteLength(JSON.stringify({ ...tool, description: '' }));
  let shorter = description;
  let longest = description.length;
  for (let tries = 0; tries < MAX_TRIES && jsonBytes(shorter) > left; tries++) {
    // Characters of some scripts take several bytes.
    longest = Math.max(HEAD.length, Math.floor((longest * left) / jsonBytes(shorter)));
    shorter = descriptionWithin(snapshot, longest);
  }
  return { ...tool, description: shorter };
}

function descriptionWithin(snapshot: Snapshot, longest: number): string {
  return `${HEAD}\nServers:\n${serverLines(snapshot, longest - HEAD.length - '\nServers:\n'.length)}`;
}

/** Loaded by the first search. */
let loaded: Awaited<ReturnType<typeof loadToolSearch>> | undefined;

async function search(catalog: Catalog, query: string) {
  loaded ??= await loadToolSearch();
  return loaded.searchTools(catalog, query);
}

/** Tools that match, best first, and what each is called with. */
interface FoundTools {
  readonly tools: readonly ContributedTool[];
  callerOf(tool: ContributedTool): string;
}

async function found(
  { callerOf, tools }: FoundTools,
  query: string,
  notes: readonly string[],
  profile: Parameters<typeof roomFor>[0],
): Promise<CallToolResult> {
  const head = `Tools for '${echo(query)}', best first:`;
  const room = roomFor(profile, head, ...notes, ' '.repeat(MAX_NAMED * LONGEST_SUMMARY));
  const best = await definitionsWithin(
    tools.slice(0, BEST).map((tool) => ({ tool, callWith: callerOf(tool) })),
    room,
  );
  const count = best.length;
  const more = tools.slice(count, count + MAX_NAMED).map(({ entry }): NamedTool => {
    const left = LONGEST_SUMMARY - entry.name.length;
    return { name: entry.name, description: left < LONGEST_SUMMARY / 4 ? '' : shorten((entry.description ?? '').slice(0, 500), left) };
  });
  const others = more.map(({ name, description }) => `- ${name}${description === '' ? '' : `: ${description}`}`);
  const further = others.length === 0 ? [] : ['Further matches; find_tools with the name as the query returns the definition:', ...others];
  return {
    content: [{ type: 'text', text: [head, ...best.map(({ text }) => text), ...further, ...notes].join('\n') }],
    structuredContent: {
      tools: best.map(({ structure }) => structure),
      ...(more.length === 0 ? {} : { more }),
      ...(notes.length === 0 ? {} : { notes }),
    },
  };
}

/** A tool, and what it is called with. */
interface Match {
  readonly tool: ContributedTool;
  readonly callWith: string;
}

/**
 * The definitions of the best, whole if they fit; else each as long as fits beside the others, and at least the first. In turns, since a
 * schema may be long.
 */
async function definitionsWithin(matches: readonly Match[], room: number): Promise<readonly DefinitionForms[]> {
  const most = Math.min(room, MAX_BYTES);
  const turns = new Turns('call');
  const started = [];
  for (const { callWith, tool } of matches) {
    const shorter = formsOf(tool, callWith);
    const { value: whole } = shorter.next();
    if (whole !== undefined) started.push({ whole, shorter });
    if (turns.isOver) await turns.next();
  }
  const whole = started.map((each) => each.whole);
  if (totalBytes(whole) <= most) return whole;
  // From the shortest to the whole one.
  const forms: DefinitionForms[][] = [];
  for (const each of started) {
    const ascending = [each.whole];
    for (const form of each.shorter) {
      ascending.unshift(form);
      if (turns.isOver) await turns.next();
    }
    forms.push(ascending);
  }
  const chosen = forms.flatMap(([shortest]) => shortest ?? []);
  while (chosen.length > 1 && totalBytes(chosen) > most) chosen.pop();
  // All get longer in turn, the best first.
  const levels = Math.max(0, ...forms.map(({ length }) => length));
  for (let level = 1; level < levels; level++)
    for (const at of chosen.keys()) {
      const longer = forms[at]?.[level];
      if (longer !== undefined && totalBytes(chosen.with(at, longer)) <= (at === 0 ? room : most)) chosen[at] = longer;
    }
  return chosen;
}

function totalBytes(forms: readonly DefinitionForms[]): number {
  return forms.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** From the longest to the shortest. */
function* formsOf(tool: ContributedTool, callWith: string): Generator<DefinitionForms, undefined> {
  for (const structure of definitionsOf(tool, callWith)) {
    const text = JSON.stringify(structure);
    yield { text, structure, bytes: itemBytes({ text, structure }) };
  }
  return undefined;
}

/** Near matches by name, the servers, and what to try. */
function nothingFound(snapshot: Snapshot, query: string, notes: readonly string[]): CallToolResult {
  const near = nearToolNames(snapshot, query);
  const message = query === '' ? 'The query is empty.' : `No tool matches '${echo(query)}'.`;
  const servers = serverNames(snapshot, LONGEST_DESCRIPTION);
  const hint = servers === '' ? 'There are no tools of servers.' : 'Describe what you want to do in other words, or name a server.';
  const lines = [
    message,
    ...(near.length === 0 ? [] : [`Similar names: ${near.join(', ')}.`]),
    hint,
    ...(servers === '' ? [] : [`Servers: ${servers}.`]),
    ...notes,
  ];
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: {
      tools: [],
      message,
      similar: near,
      hint,
      ...(servers === '' ? {} : { servers }),
      ...(notes.length === 0 ? {} : { notes }),
    },
  };
}

/** Names of tools that are spelled like `name`, with or without the server's. */
export function nearToolNames({ tools }: Snapshot, name: string): readonly string[] {
  const shown = new Map<string, string>();
  for (const tool of tools.slice(0, MAX_COMPARED / 2)) {
    const called = nameOfTool(tool);
    shown.set(called, called);
    if (isUpstreamTool(tool)) shown.set(tool.original(called), called);
  }
  return [...new Set(nearest(name.trim(), shown.keys()).map((each) => oneLine(shown.get(each) ?? each)))];
}
