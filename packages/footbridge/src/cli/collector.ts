/** The garbage collector of this process, where it keeps very many small objects. */

/** From how many skills on. With fewer, collecting more often costs more of a start than it saves. */
const VERY_MANY = 20_000;

let isStarted = false;

/**
 * Lets V8 collect new objects more often, each time fewer: their space no longer grows, so that it takes a millisecond or two. `skills` is
 * how many there are at least.
 */
export function collectSoon(skills: number): void {
  if (isStarted || skills < VERY_MANY) return;
  isStarted = true;
  // At its start V8 accepts no less than 2.
  setFlag('--semi-space-growth-factor=1');
}

/** Lets V8 collect the rest before much garbage has gathered, once all skills are known: until then nearly all objects are kept. */
export function collectAll(skills: number): void {
  if (skills >= VERY_MANY) setFlag('--heap-growing-percent=20');
}

function setFlag(flag: string): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(flag);
}
