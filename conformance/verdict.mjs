// What a run of the conformance suite is worth: held against the list of what has to pass and what does not apply.

/** Whether each message we sent keeps to the schema: told with every scenario, and never to be excused. */
const WIRE = 'wire-schema-valid';

/** One row for each run, and one problem for each thing that is not as `expected` says. */
export function judge(runs, expected) {
  const rows = runs.map((run) => row(run, expected[run.scenario]));
  const known = new Set(runs.map(({ scenario }) => scenario));
  const gone = Object.keys(expected).filter((scenario) => !known.has(scenario));
  return {
    rows: rows.map(({ revision, scenario, verdict }) => ({ revision, scenario, verdict })),
    problems: [
      ...rows.flatMap(({ revision, scenario, faults }) => faults.map((fault) => `${revision} ${scenario}: ${fault}`)),
      ...gone.map((scenario) => `${scenario}: is listed, but the suite has no such scenario.`),
    ],
  };
}

function row({ revision, scenario, checks }, expectation) {
  const faults = checks === undefined ? ['ended without a result.'] : faultsOf(checks, expectation);
  const right = expectation?.notApplicable === undefined ? 'passed' : 'not applicable';
  return { revision, scenario, faults, verdict: faults.length === 0 ? right : 'wrong' };
}

/** What is wrong with the checks of a scenario; nothing when they are as expected. */
export function faultsOf(checks, expectation) {
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  const wire = wireFaultsOf(checks);
  if (expectation === undefined) return ['is not listed: say whether it has to pass.', ...wire];
  // What only warns or informs has checked nothing.
  const succeeded = checks.filter(({ id, status }) => status === 'SUCCESS' && id !== WIRE).map(({ id }) => id);
  if (expectation.notApplicable !== undefined) {
    return failed.length === 0 && succeeded.length > 0 ? ['is listed as not applicable, but passes.'] : wire;
  }
  const excused = expectation.passExcept ?? {};
  const faults = failed.filter(({ id }) => id === WIRE || !Object.hasOwn(excused, id)).map(reported);
  return [
    ...faults,
    ...Object.keys(excused).flatMap((id) => needless(id, checks)),
    ...(succeeded.length === 0 && faults.length === 0
      ? [`checked nothing: ${checks.map(reason).find(Boolean) ?? 'without a reason'}`]
      : []),
  ];
}

/** The messages that broke the schema. */
export function wireFaultsOf(checks) {
  return checks.filter(({ id, status }) => id === WIRE && status === 'FAILURE').map(reported);
}

/** What the suite would rather have otherwise, but does not fail. */
export function warningsOf(checks) {
  return checks.filter(({ status }) => status === 'WARNING').map((check) => ({ id: check.id, reported: reported(check) }));
}

function needless(id, checks) {
  const same = checks.filter((check) => check.id === id);
  if (same.length === 0) return [`${id} is excused, but there is no such check.`];
  return same.some(({ status }) => status === 'FAILURE') ? [] : [`${id} is excused, but does not fail.`];
}

function reported(check) {
  return `${check.id}: ${reason(check) ?? 'failed'}`;
}

function reason({ errorMessage, details }) {
  return errorMessage ?? (typeof details?.message === 'string' ? details.message : undefined);
}
