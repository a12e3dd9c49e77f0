/** What JSON can hold, looked at before it is trusted. */

export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields: no list, and not null. */
export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of an object itself: names come from outside, and `constructor` is one that every object seems to have. */
export function ownField<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
