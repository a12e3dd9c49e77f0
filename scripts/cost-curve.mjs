// Measures what 10 to 100,000 skills cost, and draws docs/images/cost-curve.svg. Prints the figures as a markdown table.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureAmong } from '../bench/measures/many-skills.mjs';
import { percentile } from '../bench/statistics.mjs';
import { createWorkspace } from '../bench/workspace.mjs';
import { root } from './ready.mjs';

const COUNTS = [10, 100, 1000, 10_000, 100_000];
const CURVES = [
  { name: 'first start', unit: 'ms', of: ({ cold }) => cold },
  { name: 'memory', unit: 'MB', of: ({ resident }) => resident / 1e6 },
  { name: 'later starts', unit: 'ms', of: ({ warm }) => warm },
  { name: 'a change is announced', unit: 'ms', of: ({ announced }) => percentile(announced, 0.5) },
  { name: 'an unknown name, p95', unit: 'ms', of: ({ unknown }) => percentile(unknown, 0.95) },
  { name: 'a search, p95', unit: 'ms', of: ({ search }) => percentile(search, 0.95) },
];

const LEFT = 70;
const RIGHT = 690;
const TOP = 40;
const BOTTOM = 360;
const LEAST = 0.1;
const MAX = 10_000;

const x = (count) => LEFT + ((Math.log10(count) - 1) / 4) * (RIGHT - LEFT);
const y = (value) => BOTTOM - (Math.log10(Math.max(LEAST, value) / LEAST) / Math.log10(MAX / LEAST)) * (BOTTOM - TOP);
const shown = (value) => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));

const workspace = createWorkspace();
const measured = [];
for (const count of COUNTS) {
  process.stderr.write(`${count} … `);
  measured.push(await measureAmong(workspace, count));
}
const rows = CURVES.map((curve) => ({ ...curve, values: measured.map((each) => curve.of(each)) }));
writeFileSync(join(root, 'docs', 'images', 'cost-curve.svg'), picture(rows));
const head = ['Skills', ...COUNTS.map((count) => count.toLocaleString('en'))];
const lines = [head, head.map(() => '---'), ...rows.map(({ name, unit, values }) => [`${name}, ${unit}`, ...values.map(shown)])];
process.stdout.write(`${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`);
process.exit();

function picture(curves) {
  const grid = [0.1, 1, 10, 100, 1000, 10_000].map(
    (value) =>
      `<path class="grid" d="M${LEFT} ${y(value).toFixed(1)}H${RIGHT}"/><text class="note" x="${LEFT - 10}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value.toLocaleString('en')}</text>`,
  );
  const counts = COUNTS.map(
    (count) => `<text class="note" x="${x(count).toFixed(1)}" y="${BOTTOM + 24}" text-anchor="middle">${count.toLocaleString('en')}</text>`,
  );
  // Names stand beside the last points, at least a line apart.
  let last = Number.NEGATIVE_INFINITY;
  const drawn = curves
    .toSorted((one, other) => other.values.at(-1) - one.values.at(-1))
    .map(({ name, unit, values }) => {
      const line = values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(COUNTS[index]).toFixed(1)} ${y(value).toFixed(1)}`).join('');
      const dots = values.map(
        (value, index) => `<circle class="dot" cx="${x(COUNTS[index]).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3.5"/>`,
      );
      last = Math.max(last + 19, y(values.at(-1)) + 5);
      return `<path class="curve" d="${line}"/>${dots.join('')}<text class="part" x="${RIGHT + 14}" y="${last.toFixed(1)}">${name}: ${shown(values.at(-1))} ${unit}</text>`;
    });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 420" role="img" aria-labelledby="title desc" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
  <title id="title">What 10 to 100,000 skills cost</title>
  <desc id="desc">Curves over the number of skills, both axes logarithmic. With 100,000 skills: ${curves.map(({ name, unit, values }) => `${name} ${shown(values.at(-1))} ${unit}`).join(', ')}; with 10: ${curves.map(({ name, unit, values }) => `${name} ${shown(values[0])} ${unit}`).join(', ')}.</desc>
  <style>
    .ground { fill: #fff }
    .grid { stroke: #d0d7de; stroke-width: 1 }
    .curve { stroke: #3b6ea5; stroke-width: 2.5; fill: none }
    .dot { fill: #3b6ea5 }
    .part { fill: #24292f; font-size: 14px }
    .note { fill: #57606a; font-size: 13.5px }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117 }
      .grid { stroke: #30363d }
      .curve { stroke: #6ea8e0 }
      .dot { fill: #6ea8e0 }
      .part { fill: #e6edf3 }
      .note { fill: #9aa4af }
    }
  </style>
  <rect class="ground" width="960" height="420" rx="12"/>
  <text class="note" x="${LEFT - 48}" y="22">ms or MB</text>
  ${grid.join('\n  ')}
  ${counts.join('\n  ')}
  <text class="note" x="${(LEFT + RIGHT) / 2}" y="${BOTTOM + 48}" text-anchor="middle">skills</text>
  ${drawn.join('\n  ')}
</svg>
`;
}
