/** Buffers tool results until there is a listener. */
import { type Fields, isFields } from '../../../footbridge/page/json.js';

export function givenTo() {
  const early: Fields[] = [];
  let listener: ((given: Fields) => void) | undefined;
  return {
    take(given: unknown): void {
      if (!isFields(given)) return;
      if (listener === undefined) early.push(given);
      else listener(given);
    },
    listen(next: (given: Fields) => void): void {
      listener = next;
      for (const given of early.splice(0)) next(given);
    },
  };
}
