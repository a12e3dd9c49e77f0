/** A short name for a server that has none yet, from the command or URL that reaches it. */

/** What starts the thing that somebody means; and the words that come between. */
const RUNNERS = /^(?:npx|npm|pnpm|pnpx|yarn|bun|bunx|node|tsx|deno|python[\d.]*|py|pipx|uv|uvx|docker|podman|cmd|sh|bash|env)$/;
const BETWEEN = /^(?:exec|dlx|run|tool|x)$/;
const COMMON = /^(?:index|main|cli|server|mcp|mcp-server|dist|build|out|lib|src|bin)$/;
const LONGEST = 40;

/** The same for the same words. No value of an option or variable is in it, where a secret could be. */
export function serverName(words: readonly string[]): string {
  const [first = ''] = words;
  const name = /^https?:\/\//i.test(first) ? hostName(first) : shortened(programName(words));
  const fitting = name
    .replace(/[^\w.-]+/g, '-')
    .replace(/_{2,}/g, '_')
    .slice(0, LONGEST)
    .replace(/^[_.-]+|[_.-]+$/g, '');
  return fitting === '' ? 'server' : fitting;
}

function hostName(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^(?:www|mcp|api)\.(?=.*\.)/, '') : '';
}

/** The package, image or script that is run. */
function programName([command = '', ...args]: readonly string[]): string {
  const program = baseName(command).replace(/\.(?:exe|cmd|bat)$/i, '');
  if (!RUNNERS.test(program)) return program;
  const names = args.filter((word) => /^[\w@./\\]/.test(word) && !word.includes('=') && !/^\/\w$/.test(word) && !BETWEEN.test(word));
  const [first] = names;
  if (first === undefined) return program;
  if (/^(?:docker|podman)$/.test(program)) return baseName(names.find((word) => /^\w[\w.-]*\/\S/.test(word)) ?? first).replace(/:.*$/, '');
  return programName([first, ...args.slice(args.indexOf(first) + 1)]);
}

/** Without folder, scope, version and the end of a file's name; a name that says nothing gives way to that of its folder. */
function baseName(word: string): string {
  const parts = word
    .split(/[/\\]/)
    .map((part) => part.replace(/(?!^)@.*$/, '').replace(/\.(?:[cm]?[jt]s|py|sh)$/, ''))
    .filter((part) => !/^\.{0,2}$/.test(part));
  return parts.findLast((part) => !COMMON.test(part)) ?? parts.at(-1) ?? '';
}

/** Without what most names of servers have in common. */
function shortened(name: string): string {
  const short = name.replace(/^(?:(?:mcp|server)[-_])+/, '').replace(/(?:[-_](?:mcp|server))+$/, '');
  return short === '' ? name : short;
}
