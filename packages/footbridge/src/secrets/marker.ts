/** What stands where a secret or a path stood. */
export const REDACTED = '[redacted]';
export const PATH = '[path]';

/**
 * Where a token may begin: not within a word, but right after an escape such as `\n` or `%20`,
 * whose last letter is no part of the word.
 */
export const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]|%[0-9A-Fa-f]{2}))`;
