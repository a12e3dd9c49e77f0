// The rows of a result and the file they are written to.
import { cpus, platform, release } from 'node:os';

/** A row: the measure, our value and the other (both as text), their ratio, and optionally a limit. */
export function row({ measure, ours, other = '', ratio, limit, largerIsBetter = limit?.largerIsBetter ?? false }) {
  // The last two are not shown. They are for the comparison with another run.
  const row = { measure, ours, other, ratio: times(ratio), value: ratio, largerIsBetter };
  if (limit === undefined) return { ...row, limit: '', verdict: '' };
  const passed = limit.holds(limit.of ?? ratio);
  return { ...row, limit: limit.text, verdict: passed ? 'pass' : 'MISSED' };
}

const times = (ratio) => (ratio === undefined ? '' : `${ratio.toFixed(ratio < 10 ? 2 : 1)} ×`);

export const ratioAtMost = (most) => ({ text: `≤ ${most} ×`, holds: (ratio) => ratio <= most });
export const ratioAtLeast = (least) => ({ text: `≥ ${least} ×`, largerIsBetter: true, holds: (ratio) => ratio >= least });
export const fasterAtLeast = (least) => ({ text: `≥ ${least} × faster`, largerIsBetter: true, holds: (ratio) => ratio >= least });
/** For an absolute value instead of a ratio. */
export const valueAtMost = (of, most, text) => ({ text, of, holds: (value) => value <= most });

export const milliseconds = (value) => (value < 10 ? `${value.toFixed(2)} ms` : `${value.toFixed(0)} ms`);
export const microseconds = (milliseconds) => `${(milliseconds * 1000).toFixed(milliseconds < 0.01 ? 2 : 0)} µs`;
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

const HEAD = { measure: 'Measure', ours: 'Footbridge', other: 'Compared with', ratio: 'Ratio', limit: 'Limit', verdict: 'Verdict' };

/** A markdown table with aligned columns, for terminals. */
export function table(rows, head = HEAD) {
  const columns = Object.keys(head);
  const widths = columns.map((column) => Math.max(...[head, ...rows].map((each) => each[column].length)));
  const line = (each) => `| ${columns.map((column, index) => each[column].padEnd(widths[index])).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** The machine and date of a run, as a markdown list. */
export function circumstances() {
  const processors = cpus();
  return `- Node ${process.version}, ${platform()} ${release()}
- ${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}
- ${new Date().toISOString().slice(0, 10)}`;
}

/** The first part of the result file. */
export function document(rows) {
  return `# Benchmark

Written by \`npm run bench\`. Each ratio is from this one run; both sides took turns. Times are medians unless the measure says otherwise.

${circumstances()}

${table(rows)}
`;
}

const COMPARISON = '\n## Compared with ';

/** The result file with one of its two parts replaced: the document, or the comparison with another build, which follows it. */
export function replacePart(file, { main, comparison }) {
  const at = file.indexOf(COMPARISON);
  const [before, after] = at === -1 ? [file, ''] : [file.slice(0, at), file.slice(at)];
  return `${main ?? before}${comparison ?? after}`;
}

/** The comparison with the build called `name`. */
export const comparisonPart = (name, text) => `${COMPARISON}${name}

Written by \`npm run bench -- --against\`. Both builds took turns within this one run. A time is the lower quartile of all rounds, a number per second the upper one. The spread is half the width of the 95 % interval of the ratio.

${circumstances()}

${text}
`;
