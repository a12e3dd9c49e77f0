export function interleave<Side extends string, Sample>(
  rounds: number,
  sides: Readonly<Record<Side, () => Promise<Sample>>>,
): Promise<Record<Side, Sample[]>>;
export function median(samples: readonly number[]): number;
