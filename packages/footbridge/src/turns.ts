/** Work in slices, so that other calls get their turn. */

/** How long a slice takes. */
const SLICE_MS = 3;
/** Slices of calls go before those of work in the background, but not more of them than this in a row. */
const MAX_AHEAD = 8;

/** For whom work is done: a caller who waits for it, or nobody yet. */
export type Urgency = 'call' | 'background';

/** Slices that are to begin, by their urgency. */
const waiting: Readonly<Record<Urgency, (() => void)[]>> = { call: [], background: [] };
let ahead = 0;
let isScheduled = false;
/** When the slice began that is running. */
let begun: number | undefined;

function endSlice(): void {
  begun = undefined;
}

/** One slice begins in each turn of the event loop: however many pieces of work there are, a message waits for one slice. */
function begin(): void {
  const isBehind = waiting.call.length === 0 || (ahead === MAX_AHEAD && waiting.background.length > 0);
  ahead = isBehind ? 0 : ahead + 1;
  waiting[isBehind ? 'background' : 'call'].shift()?.();
  isScheduled = waiting.call.length + waiting.background.length > 0;
  if (isScheduled) setImmediate(begin);
}

export class Turns {
  readonly #urgency: Urgency;
  readonly #sliceMs: number;
  #end: number;

  constructor(urgency: Urgency = 'background', sliceMs = SLICE_MS) {
    this.#urgency = urgency;
    this.#sliceMs = sliceMs;
    // What follows other work in its turn shares its slice.
    this.#end = (begun ?? performance.now()) + sliceMs;
  }

  /** Whether the slice is over: await `next` then, at a moment when everything is consistent. */
  get isOver(): boolean {
    return performance.now() > this.#end;
  }

  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting[this.#urgency].push(resolve);
      if (!isScheduled) setImmediate(begin);
      isScheduled = true;
    });
    begun = performance.now();
    // Once all that awaits the slice has run as well.
    process.nextTick(endSlice);
    this.#end = begun + this.#sliceMs;
  }
}

/** Takes all steps, in slices, and resolves with what they lead to. */
export async function inTurns<T>(steps: Iterator<unknown, T>, urgency?: Urgency): Promise<T> {
  const turns = new Turns(urgency);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (turns.isOver) await turns.next();
  }
}

/** The same at once. */
export function atOnce<T>(steps: Iterator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Items between two steps. */
const STRIDE = 32;

/** Does the same with each item, with a step after every few of them; a short list is done with at once. */
export function stepsOver<T>(items: Iterable<T>, work: (item: T) => void): IterableIterator<void, void> {
  if (!Array.isArray(items) || items.length >= STRIDE) return longStepsOver(items, work);
  for (const item of items) work(item);
  return NO_STEPS;
}

function* longStepsOver<T>(items: Iterable<T>, work: (item: T) => void): Generator<void, void> {
  let count = 0;
  for (const item of items) {
    work(item);
    if (++count % STRIDE === 0) yield;
  }
}

const NO_MORE = { done: true, value: undefined } as const;
/** Shared, since of a thousand servers each has several short lists. */
const NO_STEPS: IterableIterator<void, void> = { next: () => NO_MORE, [Symbol.iterator]: () => NO_STEPS };
