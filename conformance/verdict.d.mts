/** A check as the suite writes it down. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
  readonly details?: { readonly message?: unknown };
}

export interface Run {
  readonly revision: string;
  readonly scenario: string;
  /** Absent when the suite ended before it wrote any. */
  readonly checks?: readonly Check[];
}

/** Whether a scenario has to pass, at every revision it is run at; with the reason for what is excused. */
export type Expectation =
  | 'pass'
  /** The reason for each check that does not apply, by its id. */
  | { readonly passExcept: Readonly<Record<string, string>> }
  | { readonly notApplicable: string };

export interface Row {
  readonly revision: string;
  readonly scenario: string;
  readonly verdict: 'passed' | 'not applicable' | 'wrong';
}

export function judge(
  runs: readonly Run[],
  expected: Readonly<Record<string, Expectation>>,
): { readonly rows: readonly Row[]; readonly problems: readonly string[] };
