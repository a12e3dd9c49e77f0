/** How things are written for people. */

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'] as const;

/** Easy to read, and to the byte. */
export function size(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  const exact = `${bytes} bytes`;
  return power === 0 ? exact : `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}, ${exact}`;
}
