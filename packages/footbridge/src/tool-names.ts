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

/** Letters that look like the first of each, which our names have. */
const ALIKE = [
  'aаɑα',
  'cсϲᴄ',
  'dԁɗ',
  'eеεҽ',
  'fƒ',
  'gɡցɢ',
  'li1|іıιӏǀɩɪ',
  'kкκᴋ',
  'mмᴍ',
  'nпոռɴ',
  'o0оοօσᴏ',
  'pрρᴘ',
  'rгʀ',
  'sѕꜱ',
  'tтτᴛ',
  'uυսᴜʋ',
  'vνѵᴠ',
];
const LIKE: ReadonlyMap<string, string> = new Map(ALIKE.flatMap(([first = '', ...others]) => others.map((letter) => [letter, first])));

/** Equal for names that look alike. */
function looksOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '')
    .trim();
  return [...plain]
    .map((letter) => LIKE.get(letter) ?? letter)
    .join('')
    .replace(/[\p{Pd}\p{Pc}\p{Zs}.]/gu, '_');
}

const LENGTHS: ReadonlySet<number> = new Set(TOOL_NAMES.map(({ length }) => length));
const looks: ReadonlySet<string> = new Set(TOOL_NAMES.map(looksOf));

/** Whether a name is one of ours, or would pass for one: in other letters, with invisible ones, or with other separators. */
export function resemblesOwnTool(name: string): boolean {
  if (name.length > 64) return false;
  // Nearly all names are of these characters, and of another length than ours.
  if (!LENGTHS.has(name.length) && /^[\w.-]+$/.test(name)) return false;
  return looks.has(looksOf(name));
}
