// What runs of the suite against the fixture are worth: directly, where all but a few scenarios have to pass, and through a
// gateway, where the same scenarios have to pass as directly.
import { faultsOf, judge, warningsOf, wireFaultsOf } from './verdict.mjs';

/** Judges runs in which every scenario has to pass, but for the exceptions, which must not. */
export function judgeAllBut(runs, exceptions) {
  const revisions = new Set([...runs.map(({ revision }) => revision), ...exceptions.flatMap(({ revisions }) => revisions)]);
  const verdicts = [...revisions].map((revision) => {
    const due = runs.filter((run) => run.revision === revision);
    const excepted = exceptions.filter(({ revisions }) => revisions.includes(revision));
    const expected = Object.fromEntries([
      ...due.map(({ scenario }) => [scenario, 'pass']),
      ...excepted.flatMap(({ scenarios, reason }) => scenarios.map((scenario) => [scenario, { notApplicable: reason }])),
    ]);
    return judge(due, expected);
  });
  return { rows: verdicts.flatMap(({ rows }) => rows), problems: verdicts.flatMap(({ problems }) => problems) };
}

/** One row for each scenario that ran either way, and one problem for each thing that is not the same through a gateway. */
export function compare(direct, through) {
  const pairs = new Map();
  const pair = (side) => (run) => {
    const key = `${run.revision} ${run.scenario}`;
    pairs.set(key, { ...pairs.get(key), [side]: run });
  };
  direct.forEach(pair('direct'));
  through.forEach(pair('through'));
  const rows = [...pairs].map(([key, runs]) => ({ key, ...rowOf(runs) }));
  return {
    rows: rows.map(({ revision, scenario, verdict }) => ({ revision, scenario, verdict })),
    problems: rows.flatMap(({ key, faults }) => faults.map((fault) => `${key}: ${fault}`)),
  };
}

function rowOf({ direct, through }) {
  const { revision, scenario } = direct ?? through;
  const faults = differences(direct?.checks, through?.checks);
  const right = faultsOf(direct?.checks ?? [], 'pass').length === 0 ? 'passed' : 'not applicable';
  return { revision, scenario, faults, verdict: faults.length === 0 ? right : 'wrong' };
}

function differences(direct, through) {
  const absent = [
    ...(direct === undefined ? ['did not run directly.'] : []),
    ...(through === undefined ? ['did not run through the gateway.'] : []),
  ];
  if (absent.length > 0) return absent;
  const before = faultsOf(direct, 'pass');
  const after = faultsOf(through, 'pass');
  if (before.length === 0) {
    const known = new Set(warningsOf(direct).map(({ id }) => id));
    const warned = warningsOf(through).filter(({ id }) => !known.has(id));
    return [...after, ...warned.map(({ reported }) => `${reported} (a warning, and none directly)`)];
  }
  if (after.length === 0) return ['passes through the gateway, but not directly.'];
  return wireFaultsOf(direct).length === 0 ? wireFaultsOf(through) : [];
}
