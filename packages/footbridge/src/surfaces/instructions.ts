/** The server's instructions: in hosts that hold tools back, all that a model sees of us at first. */
import type { Snapshot } from '../catalog/snapshot.js';
import type { ToolName } from '../tool-names.js';
import { nameIndex } from './catalogue/entries.js';
import { rankedSkills } from './catalogue/ranked.js';
import type { HostView } from './hosts/view.js';
import { listsFewSkills, ownToolNames, type ToolChoice } from './tools/index.js';
import { outageText, unavailableTool } from './tools/unavailable-server.js';

const MAX_LENGTH = 1999;
const SEARCH_INSTRUCTIONS =
  'Most tools are not listed: find them with `find_tools`, and call them with `call_tool` or `call_destructive_tool`, also where other instructions name them.';

/** Names only tools that are listed, and skills where the host does not show all of them anyway. */
export function instructionsFor(snapshot: Snapshot, view: HostView, tools: ToolChoice, longest = MAX_LENGTH): string {
  const listedTools = ownToolNames(snapshot, view, tools);
  if (unavailableTool(snapshot, snapshot.tools.length + listedTools.length) !== undefined) return outageText(snapshot.outages);
  const { profile } = view;
  const listed = new Set([...listedTools, ...expectedTools(snapshot, tools)]);
  const text = [
    'Footbridge serves Agent Skills and resources.',
    ...(listed.has('skill') ? [skillInstructions(snapshot, view, listed)] : []),
    ...(listed.has('get_resource') ? ['Any other resource is listed and read with `get_resource`.'] : []),
    ...(listed.has('find_tools') ? [SEARCH_INSTRUCTIONS] : []),
  ].join(' ');
  const areShown = profile.defersTools === false && profile.toolDescription >= view.budget && !listsFewSkills(snapshot, view, tools);
  if (!listed.has('skill') || areShown) return text;
  const room = Math.min(MAX_LENGTH, longest, profile.instructions) - text.length;
  return text + nameIndex(snapshot, rankedSkills(snapshot, view), room).text;
}

/** Instructions are sent once: where the lists of servers are still unknown, they may come to have skills and resources. */
function expectedTools({ upstreams }: Snapshot, tools: ToolChoice): readonly ToolName[] {
  const isWaiting = upstreams.length > 1 && upstreams.some(({ failure, isListed }) => !isListed && failure === undefined);
  return isWaiting ? EXPECTED.filter((name) => tools[name] !== false) : [];
}

const EXPECTED: readonly ToolName[] = ['skill', 'list_skills', 'get_skill', 'get_resource'];

function skillInstructions(snapshot: Snapshot, view: HostView, listed: ReadonlySet<string>): string {
  const areListed = snapshot.skills.length === 0 || rankedSkills(snapshot, view).total > 0;
  const ways = [
    ...(areListed ? ['in the description of the tool `skill`'] : []),
    ...(listed.has('list_skills') ? ['with `list_skills`'] : []),
  ];
  const files = listed.has('get_skill') ? ', and get the files it names with `get_skill`' : '';
  if (ways.length === 0) return `Load a skill with \`skill\`${files}.`;
  return `Before a task, look for a fitting skill ${ways.join(' or ')}, load it with \`skill\`${files}.`;
}
