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

/** They lead to tools of others, and have nothing of their own to show. */
export const SEARCH_TOOL_NAMES = ['find_tools', 'call_tool', 'call_destructive_tool'] as const satisfies readonly ToolName[];

const reserved: ReadonlySet<string> = new Set(TOOL_NAMES);
const LONGEST = Math.max(...TOOL_NAMES.map(({ length }) => length));

/** Whether a name is one of ours, or would pass for one: in other letters, with invisible ones, or with other separators. */
export function resemblesOwnTool(name: string): boolean {
  if (name.length > 64) return false;
  // Nearly all names are of these characters, and longer than ours.
  if (/^[\w.-]+$/.test(name)) return name.length <= LONGEST && reserved.has(name.toLowerCase().replace(/[-.]/g, '_'));
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '');
  return reserved.has(plain.trim().replace(/[-. ]/g, '_'));
}
