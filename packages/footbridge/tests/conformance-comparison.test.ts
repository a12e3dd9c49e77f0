import { describe, expect, it } from 'vitest';
import { compare, judgeAllBut } from '../../../conformance/comparison.mjs';
import type { Check, Run } from '../../../conformance/verdict.mjs';

const REVISION = '2026-07-28';

const check = (id: string, status: Check['status'], errorMessage?: string): Check => ({
  id,
  status,
  ...(errorMessage === undefined ? {} : { errorMessage }),
});
const passes = [check('ping', 'SUCCESS'), check('wire-schema-valid', 'SUCCESS')];
const fails = [check('ping', 'FAILURE', 'No answer'), check('wire-schema-valid', 'SUCCESS')];

function runOf(checks: readonly Check[] | undefined, revision = REVISION): Run {
  return { revision, scenario: 'ping', ...(checks === undefined ? {} : { checks }) };
}

describe('the verdict on the fixture server', () => {
  const exceptions = [{ reason: 'No ping.', revisions: [REVISION], scenarios: ['ping'] }];

  it('passes if all scenarios but the exceptions pass, each at its revisions', () => {
    expect(judgeAllBut([runOf(passes, '2025-11-25'), runOf(fails)], exceptions)).toEqual({
      rows: [
        { revision: '2025-11-25', scenario: 'ping', verdict: 'passed' },
        { revision: REVISION, scenario: 'ping', verdict: 'not applicable' },
      ],
      problems: [],
    });
  });

  it('fails for a failed scenario that is no exception at that revision', () => {
    expect(judgeAllBut([runOf(fails)], []).problems).toEqual([`${REVISION} ping: ping: No answer`]);
    expect(judgeAllBut([runOf(fails, '2025-11-25'), runOf(fails)], exceptions).problems).toEqual(['2025-11-25 ping: ping: No answer']);
  });

  it('fails for an exception that passes, or that is not in the suite', () => {
    expect(judgeAllBut([runOf(passes)], exceptions).problems).toEqual([`${REVISION} ping: is listed as not applicable, but passes.`]);
    expect(judgeAllBut([], exceptions).problems).toEqual(['ping: is listed, but the suite has no such scenario.']);
  });

  it('fails for a scenario that did not run, also an exception', () => {
    expect(judgeAllBut([runOf(undefined)], []).problems).toEqual([`${REVISION} ping: ended without a result.`]);
    expect(judgeAllBut([runOf(undefined)], exceptions).problems).toEqual([`${REVISION} ping: ended without a result.`]);
  });
});

describe('the comparison of a gateway with the server behind it', () => {
  const problemsOf = (direct: readonly Check[] | undefined, through: readonly Check[] | undefined) =>
    compare([runOf(direct)], [runOf(through)]).problems;

  it('is empty if the same scenarios pass', () => {
    const direct = [runOf(fails, '2025-11-25'), runOf(passes)];
    expect(compare(direct, [...direct].reverse())).toEqual({
      rows: [
        { revision: '2025-11-25', scenario: 'ping', verdict: 'not applicable' },
        { revision: REVISION, scenario: 'ping', verdict: 'passed' },
      ],
      problems: [],
    });
  });

  it('reports scenarios that pass directly but not through the gateway, and why', () => {
    expect(compare([runOf(passes)], [runOf(fails)])).toEqual({
      rows: [{ revision: REVISION, scenario: 'ping', verdict: 'wrong' }],
      problems: [`${REVISION} ping: ping: No answer`],
    });
    const skipped = [check('ping', 'SKIPPED', 'Never mind'), check('wire-schema-valid', 'SUCCESS')];
    expect(problemsOf(passes, skipped)).toEqual([`${REVISION} ping: checked nothing: Never mind`]);
  });

  it('reports scenarios that pass through the gateway only', () => {
    expect(problemsOf(fails, passes)).toEqual([`${REVISION} ping: passes through the gateway, but not directly.`]);
  });

  it('reports warnings that occur through the gateway only', () => {
    const warned = [...passes, check('retry', 'WARNING', 'No retry field')];
    expect(problemsOf(passes, warned)).toEqual([`${REVISION} ping: retry: No retry field (a warning, and none directly)`]);
    expect(problemsOf(warned, warned)).toEqual([]);
  });

  it('reports scenarios that did not run, directly or through the gateway', () => {
    const directly = `${REVISION} ping: did not run directly.`;
    const through = `${REVISION} ping: did not run through the gateway.`;
    expect(problemsOf(passes, undefined)).toEqual([through]);
    expect(problemsOf(undefined, passes)).toEqual([directly]);
    expect(problemsOf(undefined, undefined)).toEqual([directly, through]);
    expect(compare([runOf(passes)], []).problems).toEqual([through]);
    expect(compare([], [runOf(passes)]).problems).toEqual([directly]);
  });

  it('rejects invalid messages of the gateway, even if the scenario also fails directly', () => {
    const broken = [check('ping', 'FAILURE'), check('wire-schema-valid', 'FAILURE', 'no resultType')];
    expect(problemsOf(fails, broken)).toEqual([`${REVISION} ping: wire-schema-valid: no resultType`]);
    expect(problemsOf(broken, broken)).toEqual([]);
  });
});
