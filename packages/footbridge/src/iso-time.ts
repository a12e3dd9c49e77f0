/** Times as ISO 8601. */

let last = Number.NaN;
let text = '';

/** The last one is kept, since many answers and log lines share a millisecond. */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== last) text = new Date(milliseconds).toISOString();
  last = milliseconds;
  return text;
}
