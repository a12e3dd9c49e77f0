/** How long a read may take, and how much it may give. */

export interface ReadLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** For resources that say nothing themselves. */
export const DEFAULT_LIMITS: ReadLimits = { timeoutMs: 10_000, maxBytes: 16 * 1024 * 1024 };

/** The longest that a timer can wait. */
const LONGEST = 2 ** 31 - 1;

/** Gives the limits back; throws when one is no number that can be kept. */
export function checkLimits<T extends { readonly timeoutMs?: number; readonly maxBytes?: number }>(limits: T): T {
  const { timeoutMs = 1, maxBytes = 1 } = limits;
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST))
    throw new RangeError(`timeoutMs is ${timeoutMs}; it has to be over 0 and at most ${LONGEST}.`);
  if (!(maxBytes > 0)) throw new RangeError(`maxBytes is ${maxBytes}; it has to be over 0.`);
  return limits;
}
