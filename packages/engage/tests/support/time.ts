/** A program whose time is another, by what Node loads before it. */

/** The environment of a program whose clock is ahead. */
export function ahead(milliseconds: number): Readonly<Record<string, string>> {
  return preloading(`const now = Date.now; Date.now = () => now() + ${milliseconds};`);
}

/** The environment of a program that gives up on Jira after seconds instead of half a minute, and ten for an upload. */
export function impatient(): Readonly<Record<string, string>> {
  const code = `const wait = globalThis.setTimeout;
    const shorter = new Map([[30_000, 1500], [600_000, 3000]]);
    globalThis.setTimeout = (run, delay, ...rest) => wait(run, shorter.get(delay) ?? delay, ...rest);`;
  // The limit of sos is the same by default, and is not to be shorter.
  return { ...preloading(code), FOOTBRIDGE_ENGAGE_SOS_TIMEOUT: '599' };
}

function preloading(code: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
