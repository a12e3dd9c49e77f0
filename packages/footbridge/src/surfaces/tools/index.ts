/** The surface `tools`: for hosts that call tools and nothing else. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import { MAX_COMPARED, nearest } from '../../catalog/near.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import { echo } from '../../errors.js';
import type { ReadContext } from '../../sources/resource.js';
import { type ContributedTool, nameOfTool } from '../../sources/source.js';
import { TOOL_NAMES, type ToolName } from '../../tool-names.js';
import type { HostView } from '../hosts/view.js';
import { type SearchedTools, searchedTools, type ToolChoice } from '../tool-search/listing.js';
import { callDestructiveToolTool, callToolTool } from './call-tool.js';
import { findToolsTool, findToolsWithin, SHORTEST_DESCRIPTION } from './find-tools.js';
import { getPromptTool } from './get-prompt.js';
import { getResourceTool } from './get-resource.js';
import { getResourcesTool } from './get-resources.js';
import { getSkillTool } from './get-skill.js';
import { listSkillsTool } from './list-skills.js';
import { skillTool } from './skill.js';
import type { DescribedTool, OwnTool } from './tool.js';
import { unavailableTool } from './unavailable-server.js';

const SKILL_TOOLS: readonly OwnTool[] = [skillTool, listSkillsTool, getSkillTool];
const RESOURCE_TOOLS: readonly OwnTool[] = [getResourceTool, getResourcesTool];
const PROMPT_TOOLS: readonly OwnTool[] = [getPromptTool];
const SEARCH_TOOLS: readonly DescribedTool[] = [findToolsTool, callToolTool, callDestructiveToolTool];
const TOOLS: readonly OwnTool[] = [...SKILL_TOOLS, ...RESOURCE_TOOLS, ...PROMPT_TOOLS, findToolsTool];

/** Bytes of our own tools where others are searched for: the list is part of every conversation, and is meant to be short. */
const MAX_SEARCHING = 7980;
/** How many examples brief descriptions have, compared with the usual: fewer if the list is still too long. */
const SHARES = [1, 0.5, 0.2];

export { TOOL_NAMES } from '../../tool-names.js';
export type { ToolChoice } from '../tool-search/listing.js';

const names: ReadonlySet<string> = new Set(TOOL_NAMES);

/** Whether one of our tools has this name, shown or not. */
export function isOwnTool(name: string): name is ToolName {
  return names.has(name);
}

/** Throws for an unknown tool name. */
export function checkChoice(choice: ToolChoice): void {
  const unknown = Object.keys(choice).filter((name) => !names.has(name));
  if (unknown.length > 0) throw new Error(`Unknown tool ${unknown.join(', ')}. Footbridge has: ${TOOL_NAMES.join(', ')}.`);
}

/** As `tools/list` shows them: contributed tools that are not searched for, then ours that have something to work on. */
export function listTools(snapshot: Snapshot, view: HostView, choice: ToolChoice = {}): Tool[] {
  const tools = ownTools(snapshot, view, choice);
  const searched = searchedTools(snapshot, view, choice);
  const { isTooLong, listed, whole } = describeTools(snapshot, view, tools, searched);
  const described = isTooLong ? describedBriefly(tools, snapshot, view, listed) : whole;
  const own = described.map((tool) => withMeta(tool, snapshot.toolMeta[tool.name as ToolName]));
  const contributed = toolsWithout(snapshot.tools, searched);
  const all = contributed.length === 0 ? own : [...contributed.map(({ entry }) => entry), ...own];
  const unavailable = unavailableTool(snapshot, all.length);
  return unavailable === undefined ? all : [unavailable];
}

/** Our tools in full, and whether that is too long beside the search. */
function describeTools(snapshot: Snapshot, view: HostView, tools: readonly DescribedTool[], searched: SearchedTools) {
  const listed = new Set(tools.map(({ name }) => name));
  const whole = tools.map((tool) => tool.describe(snapshot, view, listed));
  // The list of skills has a budget of its own.
  const others = whole.filter(({ name }) => name !== 'skill');
  return { listed, whole, isTooLong: searched.size > 0 && bytesOf(others) > MAX_SEARCHING };
}

/** Whether few skills are listed, to make room for the search. */
export function listsFewSkills(snapshot: Snapshot, view: HostView, choice: ToolChoice = {}): boolean {
  const searched = searchedTools(snapshot, view, choice);
  return searched.size > 0 && describeTools(snapshot, view, ownTools(snapshot, view, choice), searched).isTooLong;
}

/** `find_tools` gets what the others leave: what it says of the servers is found nowhere else. */
function describedBriefly(
  tools: readonly DescribedTool[],
  snapshot: Snapshot,
  view: HostView,
  listed: ReadonlySet<ToolName>,
): readonly Tool[] {
  for (const share of SHARES) {
    const brief = tools.map((tool) => (tool.describeBriefly ?? tool.describe)(snapshot, view, listed, share));
    const room = MAX_SEARCHING - bytesOf(brief.filter(({ name }) => name !== findToolsTool.name));
    if (room < SHORTEST_DESCRIPTION && share !== SHARES.at(-1)) continue;
    return brief.map((tool) => (tool.name === findToolsTool.name ? findToolsWithin(snapshot, view, listed, room) : tool));
  }
  return [];
}

function bytesOf(tools: readonly Tool[]): number {
  return Buffer.byteLength(JSON.stringify(tools));
}

function toolsWithout(tools: readonly ContributedTool[], searched: SearchedTools): readonly ContributedTool[] {
  if (searched.size === 0) return tools;
  return searched.size === tools.length ? [] : tools.filter((tool) => !searched.has(tool));
}

function withMeta(tool: Tool, meta: Readonly<Record<string, unknown>> | undefined): Tool {
  return meta === undefined ? tool : { ...tool, _meta: { ...tool._meta, ...meta } };
}

/** The names of our listed tools. */
export function ownToolNames(snapshot: Snapshot, view: HostView, choice: ToolChoice = {}): readonly string[] {
  return ownTools(snapshot, view, choice).map(({ name }) => name);
}

/** The names of our tools that are left out because a contributed tool has the name. */
export function takenToolNames(snapshot: Snapshot, choice: ToolChoice = {}): readonly string[] {
  return [...chosen(snapshot, choice), ...SEARCH_TOOLS].flatMap(({ name }) => (snapshot.findTool(name) === undefined ? [] : [name]));
}

/** Throws for an unknown name; any other failure is in the result. */
export function callTool(
  catalog: Catalog,
  name: string,
  input: unknown,
  context: ReadContext,
  view: HostView,
  choice: ToolChoice = {},
): Promise<CallToolResult> {
  const tool = TOOLS.find((each) => each.name === name && choice[each.name] !== false);
  if (tool === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool '${echo(name)}'. ${alternatives(catalog.snapshot, name, view, choice)}`,
    );
  }
  return tool.call(input, catalog, context, view, choice);
}

/** All built-in names; of contributed tools the nearest, since there may be many. */
function alternatives(snapshot: Snapshot, name: string, view: HostView, choice: ToolChoice): string {
  const own = ownTools(snapshot, view, choice).map((each) => each.name);
  if (snapshot.tools.length === 0) return `Available tools: ${own.join(', ')}.`;
  const near = nearest(name, [...snapshot.tools.slice(0, MAX_COMPARED).map(nameOfTool), ...own]);
  return near.length === 0 ? 'Call tools/list to see all.' : `Did you mean ${near.map((each) => `'${each}'`).join(', ')}?`;
}

/** A contributed tool of the same name takes precedence: of a pack, or of a single upstream without any other content. */
function ownTools(snapshot: Snapshot, view: HostView, choice: ToolChoice): readonly DescribedTool[] {
  const tools = chosen(snapshot, choice);
  if (snapshot.tools.length === 0) return tools;
  return [...tools, ...forSearch(snapshot, view, choice)].filter(({ name }) => snapshot.findTool(name) === undefined);
}

/** Those that are needed to find and call what is not listed. */
function forSearch(snapshot: Snapshot, view: HostView, choice: ToolChoice): readonly DescribedTool[] {
  return searchedTools(snapshot, view, choice).size === 0 ? [] : SEARCH_TOOLS.filter(({ name }) => choice[name] !== false);
}

/** With nothing to serve yet, tools for skills and resources are shown; with upstreams, only those that have something to work on. */
function chosen({ skills, resources, templates, prompts, upstreams }: Snapshot, choice: ToolChoice): readonly OwnTool[] {
  const others = resources.length + templates.length;
  const forSkills = skills.length > 0 || others + upstreams.length === 0;
  const forResources = skills.length + others > 0 || upstreams.length === 0 || upstreams.some(({ readsUnlisted }) => readsUnlisted);
  const tools = [...(forSkills ? SKILL_TOOLS : []), ...(forResources ? RESOURCE_TOOLS : []), ...(prompts.length > 0 ? PROMPT_TOOLS : [])];
  return tools.filter(({ name }) => choice[name] !== false);
}
