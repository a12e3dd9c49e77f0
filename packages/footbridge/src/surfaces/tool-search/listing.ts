/** Which upstream tools a host lists, and which its model has to search for. */
import type { Tool } from '@modelcontextprotocol/server';
import type { Snapshot } from '../../catalog/snapshot.js';
import { matches } from '../../pattern.js';
import { type ContributedTool, isUpstreamTool, nameOfTool, type ToolSearch, type UpstreamTool } from '../../sources/source.js';
import { SEARCH_TOOL_NAMES, type ToolName } from '../../tool-names.js';
import { type HostView, perView } from '../hosts/view.js';

/** `auto` lists tools up to this number, and up to this many tokens of their definitions. */
export const MOST_LISTED = 40;
export const MOST_TOKENS = 8000;
/** An estimate. */
const CHARACTERS_OF_A_TOKEN = 4;

/** Which of our tools to show; each unless it is set to false. */
export type ToolChoice = Readonly<Partial<Record<ToolName, boolean>>>;

const NONE: ReadonlySet<ContributedTool> = new Set();

/** The tools that are not listed. Each can be found and called by the tools that `choice` leaves. */
export function searchedTools(snapshot: Snapshot, view: HostView, choice: ToolChoice = {}): ReadonlySet<ContributedTool> {
  const searched = chosenForSearch(snapshot, view);
  if (searched.size === 0) return NONE;
  const [finds, calls, callsDestructive] = SEARCH_TOOL_NAMES.map((name) => choice[name] !== false && snapshot.findTool(name) === undefined);
  if (finds !== true) return NONE;
  if (calls === true && callsDestructive === true) return searched;
  return new Set([...searched].filter(({ entry }) => (isDestructive(entry) ? callsDestructive : calls)));
}

/** As operators, servers and the host's profile decide. */
const chosenForSearch = perView((snapshot, { profile, toolSearch }): ReadonlySet<ContributedTool> => {
  const byMode: Readonly<Record<'true' | 'false' | 'auto', UpstreamTool[]>> = { true: [], false: [], auto: [] };
  for (const tool of snapshot.tools) if (isUpstreamTool(tool)) byMode[`${modeOf(tool, toolSearch)}`].push(tool);
  const { auto, false: listed, true: searched } = byMode;
  const isAutomatic = profile.defersTools !== true && areMany(listed, auto);
  return new Set(isAutomatic ? [...searched, ...auto] : searched);
});

function modeOf(tool: UpstreamTool, { always, mode }: HostView['toolSearch']): ToolSearch {
  const { original, toolSearch } = tool;
  // Only a host that sees the definition calls it as a task.
  if (tool.needsTask ?? tool.entry.execution?.taskSupport === 'required') return false;
  const name = nameOfTool(tool);
  if (always.some((pattern) => matches(pattern, name) || matches(pattern, original(name)))) return false;
  return toolSearch ?? mode;
}

/** Stops counting at the limit, since definitions may be long. */
function areMany(...tools: readonly (readonly UpstreamTool[])[]): boolean {
  if (tools.reduce((sum, { length }) => sum + length, 0) > MOST_LISTED) return true;
  let left = MOST_TOKENS * CHARACTERS_OF_A_TOKEN;
  for (const { entry } of tools.flat()) {
    left -= JSON.stringify(entry).length;
    if (left < 0) return true;
  }
  return false;
}

/**
 * Whether a host should ask before a call. As the protocol defines it: unless a tool declares that it only reads, or that it
 * destroys nothing.
 */
export function isDestructive({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint !== true && annotations?.destructiveHint !== false;
}
