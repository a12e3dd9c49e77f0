export interface Sampled {
  readonly measure: string;
  /** More is better for `perSecond`, less for all others. */
  readonly unit: 'ms' | 'perSecond' | 'bytes' | 'times' | 'added';
  readonly samples: { readonly new: readonly number[]; readonly old: readonly number[] };
  /** How many successive rounds the same processes took; default 1. */
  readonly block?: number;
}

export interface Compared {
  readonly measure: string;
  readonly unit: Sampled['unit'];
  readonly new: number;
  readonly old: number;
  /** New divided by old; NaN if one of them is not positive. */
  readonly ratio: number;
  /** As a share of the ratio. */
  readonly spread: number;
  /** 0.05 is 5 % worse; negative is better. */
  readonly worse: number;
  readonly rounds: number;
}

export function compareSides(row: Sampled): Compared;
export function isWorse(compared: Compared): boolean;
export function summarize(compared: readonly Compared[]): string;
