/** Whether a command starts Footbridge: itself, or through what starts packages. */

/** Programs that start another one, each with the words that come before it. */
const LAUNCHERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  pnpx: [],
  node: [],
  deno: ['run'],
  npm: ['exec', 'x'],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx', 'exec'],
  bun: ['x', 'run'],
  env: [],
};

/** Options of theirs that take the next word. */
const WITH_VALUE = new Set(['-p', '--package', '-r', '--require', '--import', '--loader', '-C', '--prefix', '--registry', '--cache']);

/** Not so where Footbridge is only named among what another program is given. */
export function startsFootbridge(command: string, args: readonly string[]): boolean {
  if (namesFootbridge(command)) return true;
  const name = baseName(command);
  if (name === 'cmd') {
    const at = args.findIndex((word) => word.toLowerCase() === '/c');
    const [next, ...others] = at === -1 ? [] : args.slice(at + 1);
    return next !== undefined && startsFootbridge(next, others);
  }
  if (!Object.hasOwn(LAUNCHERS, name)) return false;
  const [first, ...others] = started(args, LAUNCHERS[name] ?? []);
  return first !== undefined && (namesFootbridge(first) || (name === 'env' && startsFootbridge(first, others)));
}

/** From the program on that a launcher starts. */
function started(args: readonly string[], before: readonly string[]): readonly string[] {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (WITH_VALUE.has(word)) at++;
    else if (!word.startsWith('-') && !before.includes(word) && !/^\w+=/.test(word)) return args.slice(at);
  }
  return [];
}

/** `footbridge`, `footbridge@1.2`, `…/.bin/footbridge`, `…/footbridge.cjs`, `footbridge-0.1.0.tgz`; not `@acme/footbridge`. */
function namesFootbridge(word: string): boolean {
  if (word.startsWith('@')) return false;
  return /^footbridge(?:@[^/\\]+|\.(?:cjs|cmd|ps1|exe)|-\d[^/\\]*\.tgz)?$/i.test(word.split(/[/\\]/).at(-1) ?? '');
}

function baseName(command: string): string {
  return (command.split(/[/\\]/).at(-1) ?? '').toLowerCase().replace(/\.(?:exe|cmd|ps1)$/, '');
}
