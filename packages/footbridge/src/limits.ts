/** How long a read may take, and how large its content may be. */

export interface ReadLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** For resources without limits of their own. */
const DEFAULT_LIMITS: ReadLimits = { timeoutMs: 10_000, maxBytes: 16 * 1024 * 1024 };

/** The longest delay of a timer. */
const LONGEST = 2 ** 31 - 1;

/** Returns the limits; throws when one is not a usable number. */
export function checkLimits<T extends { readonly timeoutMs?: number; readonly maxBytes?: number }>(limits: T): T {
  const { timeoutMs = 1, maxBytes = 1 } = limits;
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST)) throw new RangeError(`Invalid timeoutMs: ${timeoutMs}. Use a number from 1 to ${LONGEST}.`);
  if (!(maxBytes > 0)) throw new RangeError(`Invalid maxBytes: ${maxBytes}. Use a number above 0.`);
  return limits;
}

/** The limits given, with the defaults for those that are not. */
export function withDefaultLimits({ timeoutMs, maxBytes }: Partial<ReadLimits>): ReadLimits {
  return checkLimits({ timeoutMs: timeoutMs ?? DEFAULT_LIMITS.timeoutMs, maxBytes: maxBytes ?? DEFAULT_LIMITS.maxBytes });
}
