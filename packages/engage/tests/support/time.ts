/** Changes the clock or timers of a program with a preloaded module. */

/** Moves the clock forward. */
export function ahead(milliseconds: number): Readonly<Record<string, string>> {
  return preloading(`const now = Date.now; Date.now = () => now() + ${milliseconds};`);
}

/** Shortens the timeouts of Jira requests. */
export function shortTimeouts(): Readonly<Record<string, string>> {
  const code = `const wait = globalThis.setTimeout;
    const shorter = new Map([[30_000, 1500], [600_000, 3000]]);
    globalThis.setTimeout = (run, delay, ...rest) => wait(run, shorter.get(delay) ?? delay, ...rest);`;
  // The default timeout of sos equals that of uploads, and must not be shortened.
  return { ...preloading(code), FOOTBRIDGE_ENGAGE_SOS_TIMEOUT: '599' };
}

function preloading(code: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
