/** Formatting for texts that people read. */

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'] as const;

/** Such as `1.5 MiB, 1572864 bytes`. */
export function formatSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  const exact = `${bytes} bytes`;
  return power === 0 ? exact : `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}, ${exact}`;
}

/** Untrusted text as one line of bounded length, without control and direction characters. */
export function singleLine(text: string, maxLength: number, redact: (text: string) => string = (same) => same): string {
  // Redacted after stripping: control characters could split a secret.
  return redact(text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ''))
    .slice(0, maxLength)
    .toWellFormed();
}
