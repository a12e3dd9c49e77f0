/** What a tab or a browser keeps for the page, where it may; else it is kept until the page is left. */

const kept = new Map<string, string>();

/** For this tab alone. */
export const tabMemory = memory(() => sessionStorage);
/** For the next visit. */
export const browserMemory = memory(() => localStorage);

function memory(area: () => Storage) {
  return {
    get(key: string): string | undefined {
      return attempt(() => area().getItem(key)) ?? kept.get(key);
    },
    /** Undefined forgets it. */
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

/** A browser that lets pages keep nothing throws. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
