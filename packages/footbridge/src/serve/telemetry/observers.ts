/** Several observers as one. */
import type { Observer, OperationOutcome } from '../observer.js';

const ended = (): void => {};
const nobody: Observer = { begin: () => ended };

/** An observer that tells each of `observers`; none and one cost no more than that. */
export function combineObservers(observers: readonly Observer[]): Observer {
  const [first, ...others] = observers;
  if (first === undefined) return nobody;
  if (others.length === 0) return first;
  return {
    begin(operation) {
      const ends = observers.map((observer) => observer.begin(operation));
      return (outcome: OperationOutcome) => {
        for (const end of ends) end(outcome);
      };
    },
  };
}
