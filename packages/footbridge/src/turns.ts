/** Work in slices, so that other calls get their turn. */
import { setImmediate } from 'node:timers/promises';

/** How long a slice takes. */
const SLICE_MS = 3;

export class Turns {
  #end = performance.now() + SLICE_MS;

  /** Whether the slice is over: await `next` then, at a moment when everything is consistent. */
  get isOver(): boolean {
    return performance.now() > this.#end;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.#end = performance.now() + SLICE_MS;
  }
}

/** Takes all steps, in slices, and resolves with what they lead to. */
export async function inTurns<T>(steps: Generator<unknown, T>): Promise<T> {
  const turns = new Turns();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (turns.isOver) await turns.next();
  }
}

/** The same at once. */
export function atOnce<T>(steps: Generator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
