/** Which upstream tools a host lists, and which its model has to search for. */
import type { Tool } from '@modelcontextprotocol/server';
import type { Snapshot } from '../../catalog/snapshot.js';
import { matches } from '../../pattern.js';
import { type ContributedTool, isUpstreamTool, nameOfTool, type ToolSearch } from '../../sources/source.js';
import { SEARCH_TOOL_NAMES, type ToolName } from '../../tool-names.js';
import { type HostView, perView } from '../hosts/view.js';

/** `auto` lists tools up to this number, and up to this many tokens of their definitions. */
export const MAX_LISTED = 40;
export const MAX_TOKENS = 8000;
/** An estimate, of UTF-8: a character of a script with thousands of them takes three bytes, and about one token. */
const BYTES_OF_A_TOKEN = 4;
/** Fewer bytes of definitions are listed, however many: about what our three tools take instead. */
const LEAST_SAVED = 4000;

/** Which of our tools to show; each unless it is set to false. */
export type ToolChoice = Readonly<Partial<Record<ToolName, boolean>>>;

/** The tools that are not listed. There may be thousands, so it need not be a set. */
export type SearchedTools = Pick<ReadonlySet<ContributedTool>, 'has' | 'size'>;

const NONE: SearchedTools = new Set();

/** Which tools are not listed. Each can be found and called by the tools that `choice` leaves. */
export function searchedTools(snapshot: Snapshot, view: HostView, choice: ToolChoice = {}): SearchedTools {
  const searched = chosenForSearch(snapshot, view);
  if (searched.size === 0) return NONE;
  const [finds, calls, callsDestructive] = SEARCH_TOOL_NAMES.map((name) => isOffered(name, snapshot, choice));
  if (finds !== true) return NONE;
  if (calls === true && callsDestructive === true) return searched;
  return new Set(
    snapshot.tools.filter((tool) => searched.has(tool) && (isDestructive(tool.entry) ? callsDestructive === true : calls === true)),
  );
}

/** The name of the tool to call a tool with: ours that calls others, or its own where it is listed for want of that. */
export function callingToolOf(tool: ContributedTool, snapshot: Snapshot, choice: ToolChoice): string {
  const name = isDestructive(tool.entry) ? 'call_destructive_tool' : 'call_tool';
  return isOffered(name, snapshot, choice) ? name : nameOfTool(tool);
}

function isOffered(name: ToolName, snapshot: Snapshot, choice: ToolChoice): boolean {
  return choice[name] !== false && snapshot.findTool(name) === undefined;
}

/** As operators, servers and the host's profile decide. */
const chosenForSearch = perView((snapshot, { profile, toolSearch }): SearchedTools => {
  const { tools } = snapshot;
  const counts = { searched: 0, auto: 0 };
  for (const tool of tools) {
    const mode = modeOf(tool, toolSearch);
    if (mode === 'auto') counts.auto++;
    else if (mode) counts.searched++;
  }
  // Those that stay listed are not shortened by a search for the others.
  const least = counts.auto > MAX_LISTED ? LEAST_SAVED : MAX_TOKENS * BYTES_OF_A_TOKEN;
  const isAutomatic =
    profile.defersTools !== true &&
    counts.auto > 0 &&
    takeMore(
      tools.filter((tool) => modeOf(tool, toolSearch) === 'auto'),
      least,
    );
  return {
    size: counts.searched + (isAutomatic ? counts.auto : 0),
    has(tool) {
      const mode = modeOf(tool, toolSearch);
      return mode === 'auto' ? isAutomatic : mode;
    },
  };
});

/** False for a tool that is always listed. */
function modeOf(tool: ContributedTool, { always, mode }: HostView['toolSearch']): ToolSearch {
  if (!isUpstreamTool(tool)) return false;
  // Only a host that sees the definition calls it as a task.
  if (tool.needsTask ?? tool.entry.execution?.taskSupport === 'required') return false;
  if (always.length > 0) {
    const name = nameOfTool(tool);
    const own = tool.original(name);
    if (always.some((pattern) => matches(pattern, name) || matches(pattern, own))) return false;
  }
  return tool.toolSearch ?? mode;
}

/** Whether definitions take more bytes than this. Stops counting there, since they may be long. */
function takeMore(tools: readonly ContributedTool[], bytes: number): boolean {
  let left = bytes;
  for (const { entry } of tools) {
    left -= Buffer.byteLength(JSON.stringify(entry));
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
