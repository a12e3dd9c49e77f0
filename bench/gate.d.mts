/** What a ratio must reach, or must not exceed. */
export type Limit = { readonly least: number; readonly most?: never } | { readonly most: number; readonly least?: never };

export interface MeasuredRow {
  readonly measure: string;
  /** The ratio, if something was compared. */
  readonly value?: number | undefined;
}

export const ATTEMPTS: number;
export function checkLimits(
  limits: Readonly<Record<string, Readonly<Record<string, Limit>>>>,
  measure: (group: string) => Promise<readonly MeasuredRow[]>,
  report: (line: string) => void,
): Promise<{ readonly compared: number; readonly failed: readonly string[] }>;
