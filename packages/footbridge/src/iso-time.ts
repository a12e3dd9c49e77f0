/** Times as ISO 8601. */

let lastSecond = Number.NaN;
let beforeFraction = '';

/** The part that all times of a second share is kept: answers and log lines often follow each other within one. */
export function isoTime(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000) * 1000;
  if (second !== lastSecond) beforeFraction = new Date(second).toISOString().slice(0, -4);
  lastSecond = second;
  return `${beforeFraction}${String(milliseconds - second).padStart(3, '0')}Z`;
}
