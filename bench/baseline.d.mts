export interface MeasuredRow {
  readonly measure: string;
  /** The ratio, if something was compared. */
  readonly value?: number | undefined;
  readonly largerIsBetter: boolean;
}

export interface Baseline {
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  readonly ratios: Readonly<Record<string, number>>;
}

export function toBaseline(rows: readonly MeasuredRow[]): Baseline;
export function compare(rows: readonly MeasuredRow[], baseline: Baseline): string[];
