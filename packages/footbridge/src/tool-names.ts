/** The names of our tools. */

/** In the order of `tools/list`. */
export const TOOL_NAMES = [
  'skill',
  'list_skills',
  'get_skill',
  'get_resource',
  'get_resources',
  'get_prompt',
  'find_tools',
  'call_tool',
  'call_destructive_tool',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** These call tools of other servers, and have no content of their own. */
export const SEARCH_TOOL_NAMES = ['find_tools', 'call_tool', 'call_destructive_tool'] as const satisfies readonly ToolName[];

export type CallingToolName = 'call_tool' | 'call_destructive_tool';

/** Whether a name is that of a tool that calls others. */
export function isCallingTool(name: string): name is CallingToolName {
  return name === 'call_tool' || name === 'call_destructive_tool';
}

/** What most names are made of: the characters that the protocol recommends. */
const USUAL = /^[\w./-]+$/;

/** Equal for names of usual characters that look alike, or differ only in what separates their words. */
function looksOf(name: string): string {
  return name
    .replace(/[_./-]/g, '')
    .toLowerCase()
    .replace(/[i1]/g, 'l')
    .replaceAll('0', 'o')
    .replaceAll('5', 's')
    .replaceAll('rn', 'm')
    .replaceAll('cl', 'd');
}

const looks: ReadonlySet<string> = new Set(TOOL_NAMES.map(looksOf));
/** Longer names of usual characters cannot be taken for ours at a glance. */
const LONGEST = 64;

/**
 * Whether a name is one of ours, or could pass for one. With other than the usual characters any could: there is no complete
 * list of those that look alike, are invisible or change the direction of others.
 */
export function resemblesOwnTool(name: string): boolean {
  if (!USUAL.test(name)) return true;
  return name.length <= LONGEST && looks.has(looksOf(name));
}
