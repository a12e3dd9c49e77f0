import { describe, expect, it } from 'vitest';
import { type Check, type Expectation, judge } from '../../../conformance/verdict.mjs';

const check = (id: string, status: Check['status'], errorMessage?: string): Check => ({
  id,
  status,
  ...(errorMessage === undefined ? {} : { errorMessage }),
});
const wire = check('wire-schema-valid', 'SUCCESS');

function problemsOf(checks: readonly Check[] | undefined, expectation?: Expectation): readonly string[] {
  const run = { revision: '2026-07-28', scenario: 'ping', ...(checks === undefined ? {} : { checks }) };
  return judge([run], expectation === undefined ? {} : { ping: expectation }).problems;
}

describe('the verdict on a run of the conformance suite', () => {
  it('passes if required scenarios pass and inapplicable ones do not', () => {
    const runs = [
      { revision: '2025-11-25', scenario: 'ping', checks: [check('ping', 'SUCCESS'), wire] },
      { revision: '2026-07-28', scenario: 'tasks', checks: [check('task', 'FAILURE', 'Unknown tool'), wire] },
    ];
    expect(judge(runs, { ping: 'pass', tasks: { notApplicable: 'No tasks.' } })).toEqual({
      rows: [
        { revision: '2025-11-25', scenario: 'ping', verdict: 'passed' },
        { revision: '2026-07-28', scenario: 'tasks', verdict: 'not applicable' },
      ],
      problems: [],
    });
  });

  it('reports which check failed, and why', () => {
    expect(problemsOf([check('ping', 'FAILURE', 'No answer'), wire], 'pass')).toEqual(['2026-07-28 ping: ping: No answer']);
  });

  it('does not count a scenario without checks as passed', () => {
    const checks = [{ ...check('skipped', 'INFO'), details: { message: 'There are no sessions.' } }, wire];
    expect(problemsOf(checks, 'pass')).toEqual(['2026-07-28 ping: checked nothing: There are no sessions.']);
    expect(problemsOf(checks, { notApplicable: 'No sessions.' })).toEqual([]);
    expect(problemsOf(undefined, 'pass')).toEqual(['2026-07-28 ping: ended without a result.']);
    expect(problemsOf(undefined, { notApplicable: 'No sessions.' })).toEqual(['2026-07-28 ping: ended without a result.']);
  });

  it('fails if an inapplicable scenario passes', () => {
    expect(problemsOf([check('ping', 'SUCCESS'), wire], { notApplicable: 'Never pinged.' })).toEqual([
      '2026-07-28 ping: is listed as not applicable, but passes.',
    ]);
  });

  it('accepts a listed check only while it fails', () => {
    const expectation = { passExcept: { 'ping-tool': 'There is no such tool.' } };
    expect(problemsOf([check('ping', 'SUCCESS'), check('ping-tool', 'FAILURE'), wire], expectation)).toEqual([]);
    expect(problemsOf([check('ping', 'SUCCESS'), check('ping-tool', 'SUCCESS'), wire], expectation)).toEqual([
      '2026-07-28 ping: ping-tool is excused, but does not fail.',
    ]);
    expect(problemsOf([check('ping', 'SUCCESS'), wire], expectation)).toEqual([
      '2026-07-28 ping: ping-tool is excused, but there is no such check.',
    ]);
    expect(problemsOf([check('ping-tool', 'FAILURE'), wire], expectation)).toEqual(['2026-07-28 ping: checked nothing: without a reason']);
  });

  it('never accepts a message that violates the schema', () => {
    const checks = [check('ping', 'FAILURE'), check('wire-schema-valid', 'FAILURE', 'no resultType')];
    const problem = '2026-07-28 ping: wire-schema-valid: no resultType';
    expect(problemsOf(checks, { notApplicable: 'No ping.' })).toEqual([problem]);
    expect(problemsOf(checks, { passExcept: { ping: 'No ping.', 'wire-schema-valid': 'Never mind.' } })).toContain(problem);
  });

  it('requires exactly the scenarios of the suite to be listed', () => {
    expect(problemsOf([check('ping', 'SUCCESS'), wire])).toEqual(['2026-07-28 ping: is not listed: say whether it has to pass.']);
    expect(judge([], { ping: 'pass' }).problems).toEqual(['ping: is listed, but the suite has no such scenario.']);
  });
});
