/** What the system says went wrong. */

/** The code of a system error, such as `ENOENT`; undefined for anything else. */
export function systemCode(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}
