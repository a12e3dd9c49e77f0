/** Null where AWS gave no time, or one that there is not. */
export function timeOf(date: Date | undefined): string | null {
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
