/** Tunes the garbage collector for very many small objects. */

/** The number of skills from which this pays off. With fewer, more frequent collections cost more start-up time than they save. */
const VERY_MANY = 20_000;

let isStarted = false;

/**
 * Makes V8 collect new objects more often and in smaller amounts: the young generation no longer grows, so a collection takes a
 * millisecond or two. `skills` is the minimum number of skills.
 */
export function collectSoon(skills: number): void {
  if (isStarted || skills < VERY_MANY) return;
  isStarted = true;
  // V8 accepts no less than 2 when it starts.
  setFlag('--semi-space-growth-factor=1');
}

/** Makes V8 collect old objects earlier, once all skills are known. Before that, nearly all objects are kept. */
export function collectAll(skills: number): void {
  if (skills >= VERY_MANY) setFlag('--heap-growing-percent=20');
}

function setFlag(flag: string): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(flag);
}
