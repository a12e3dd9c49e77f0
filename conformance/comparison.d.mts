import type { Row, Run } from './verdict.mjs';

/** Scenarios that cannot pass, with the reason. */
export interface Exception {
  readonly reason: string;
  readonly revisions: readonly string[];
  readonly scenarios: readonly string[];
}

interface Judgement {
  readonly rows: readonly Row[];
  readonly problems: readonly string[];
}

export function judgeAllBut(runs: readonly Run[], exceptions: readonly Exception[]): Judgement;

export function compare(direct: readonly Run[], through: readonly Run[]): Judgement;
