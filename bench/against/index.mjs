// Measures the working tree against another build, turn by turn.
import { megabytes, milliseconds, table } from '../report.mjs';
import { openBuilds } from './builds.mjs';
import { compareHttp, compareStdio } from './calls.mjs';
import { summarize } from './compare.mjs';
import { compareMemory, compareRescan, compareStart } from './process.mjs';
import { compareAuthor, compareLists, compareResources } from './resources.mjs';
import { compareWrap, compareWrapStart } from './wrap.mjs';

/** What `--only` can name. */
export const COMPARISONS = {
  start: compareStart,
  stdio: compareStdio,
  http: compareHttp,
  author: compareAuthor,
  resources: compareResources,
  lists: compareLists,
  wrap: compareWrap,
  'wrap-start': compareWrapStart,
  rescan: compareRescan,
  memory: compareMemory,
};

const UNITS = {
  ms: milliseconds,
  perSecond: (value) => `${Math.round(value).toLocaleString('en')} / s`,
  bytes: megabytes,
  added: (value) => `${(value * 1000).toFixed(0)} µs`,
  times: (value) => `${value.toFixed(2)} ×`,
};

/** The comparisons as functions of the workspace, for `other`: a commit or a built folder. */
export function comparisonsWith(workspace, other) {
  const builds = openBuilds(workspace, other);
  return Object.fromEntries(Object.entries(COMPARISONS).map(([name, compare]) => [name, () => compare(workspace, builds)]));
}

/** The rows as a table in markdown, and a line that names those that are worse. */
export function report(rows, name) {
  const head = { measure: 'Measure', new: 'New', old: name, ratio: 'New / old', spread: 'Spread' };
  const lines = rows.map(({ measure, unit, ratio, spread, ...values }) => ({
    measure,
    new: UNITS[unit](values.new),
    old: UNITS[unit](values.old),
    ratio: Number.isNaN(ratio) ? '' : `${ratio.toFixed(3)} ×`,
    spread: Number.isNaN(spread) ? '' : `± ${(spread * 100).toFixed(1)} %`,
  }));
  return `${table(lines, head)}\n\n${summarize(rows)}`;
}
