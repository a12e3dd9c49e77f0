/** Session and local storage, with a fallback in memory where the browser denies them. */

const kept = new Map<string, string>();

/** For this tab only. */
export const tabMemory = memory(() => sessionStorage);
/** Permanent. */
export const browserMemory = memory(() => localStorage);

function memory(area: () => Storage) {
  return {
    get(key: string): string | undefined {
      return attempt(() => area().getItem(key)) ?? kept.get(key);
    },
    /** `undefined` removes it. */
    set(key: string, value: string | undefined): void {
      if (value === undefined) {
        kept.delete(key);
        attempt(() => area().removeItem(key));
      } else {
        kept.set(key, value);
        attempt(() => area().setItem(key, value));
      }
    },
  };
}

/** Storage throws where the browser denies it. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
