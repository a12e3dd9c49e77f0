/** Long work that lets calls have their turn. */
import { setImmediate } from 'node:timers/promises';

/** How long it goes on at a time. */
const SLICE_MS = 6;

/** Does it for each, one after the other, as long as it is not told to stop. */
export async function inTurns<T>(
  items: Iterable<T>,
  each: (item: T) => Promise<unknown> | undefined,
  isOver: () => boolean,
): Promise<void> {
  let end = performance.now() + SLICE_MS;
  for (const item of items) {
    if (isOver()) return;
    await each(item);
    if (performance.now() < end) continue;
    await setImmediate();
    end = performance.now() + SLICE_MS;
  }
}
