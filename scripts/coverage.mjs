// Line coverage of each package: what the test processes ran of the sources, and what programs ran that they started.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { bundling } from './bundle.mjs';
import { root } from './ready.mjs';

export const PACKS = ['engage', 'quilt'];
/** Where programs write V8's reports, and where those about our sources are copied to. */
export const RAW = join(root, 'coverage', 'raw');
export const PROGRAMS_RAW = join(root, 'coverage', 'raw-programs');

/** Builds the command and each pack into `packages/NAME/coverage`, with nothing removed, so that every line counts. */
export async function bundleForCoverage() {
  await bundleCommand();
  for (const name of PACKS) {
    const folder = join(root, 'packages', name);
    const dir = join(folder, 'coverage');
    rmSync(dir, { recursive: true, force: true });
    const build = await rolldown({
      input: { index: join(folder, 'src', 'index.ts') },
      platform: 'node',
      external: /^[^./]/,
      treeshake: false,
      optimization: { inlineConst: false },
    });
    // Without a comment that names the map: `keepPrograms` adds it once all processes have written their reports.
    await build.write({ dir, format: 'esm', sourcemap: 'hidden', entryFileNames: '[name].js', codeSplitting: false });
    await build.close();
  }
}

/** Processes that the command starts are not measured. */
async function bundleCommand() {
  const dir = join(root, 'packages', 'footbridge', 'coverage');
  const input = join(root, 'packages', 'footbridge', 'src', 'cli', 'run.ts');
  rmSync(dir, { recursive: true, force: true });
  const build = await rolldown({ ...bundling(input), treeshake: false, optimization: { inlineConst: false } });
  await build.write({
    dir,
    format: 'cjs',
    sourcemap: 'hidden',
    minify: false,
    banner: ({ isEntry }) => (isEntry ? 'delete process.env.NODE_V8_COVERAGE;' : ''),
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  });
  await build.close();
}

/**
 * Copies the reports of programs, reduced to our sources, and lets each bundle name its map. If a bundle named it earlier, Node would put the
 * map into every report, and c8 would then count every line as covered.
 */
export function keepPrograms() {
  for (const name of ['footbridge', ...PACKS]) {
    const folder = join(root, 'packages', name, 'coverage');
    for (const map of readdirSync(folder).filter((file) => file.endsWith('.map'))) nameMap(join(folder, map.replace(/\.map$/, '')));
  }
  mkdirSync(PROGRAMS_RAW, { recursive: true });
  for (const name of readdirSync(RAW)) {
    const { result = [] } = JSON.parse(readFileSync(join(RAW, name), 'utf8'));
    const own = result.filter(({ url }) => /\/packages\/(?:footbridge|engage|quilt)\/coverage\/[\w.-]+$/.test(url));
    if (own.length > 0) writeFileSync(join(PROGRAMS_RAW, name), JSON.stringify({ result: own }));
  }
}

/** With absolute paths of the sources, by which c8 finds them. */
function nameMap(bundle) {
  const map = JSON.parse(readFileSync(`${bundle}.map`, 'utf8'));
  const sources = map.sources.map((source) => resolve(dirname(bundle), source));
  writeFileSync(`${bundle}.map`, JSON.stringify({ ...map, sources }));
  appendFileSync(bundle, `\n//# sourceMappingURL=${basename(bundle)}.map\n`);
}

/** A table of packages with their line coverage, the least covered files, and whether each package has at least `percent`. */
export function lineCoverage(reports, percent) {
  const maps = reports.map((file) => JSON.parse(readFileSync(file, 'utf8')));
  const [first = {}, ...others] = maps;
  const files = Object.entries(first).map(([path, coverage]) => {
    const lines = linesOf(coverage);
    for (const other of others) {
      const more = path in other ? linesOf(other[path]) : new Map();
      for (const [line, count] of lines) lines.set(line, Math.max(count, more.get(line) ?? 0));
    }
    return { path: relative(root, path), total: lines.size, covered: [...lines.values()].filter((count) => count > 0).length };
  });
  const packages = ['footbridge', ...PACKS].map((name) => {
    const own = files.filter(({ path }) => path.startsWith(join('packages', name, 'src')));
    const [total, covered] = ['total', 'covered'].map((key) => own.reduce((sum, file) => sum + file[key], 0));
    return { name, total, covered, percent: total === 0 ? 0 : (100 * covered) / total };
  });
  const worst = files.filter(({ covered, total }) => covered < total * 0.9).sort((one, other) => missing(other) - missing(one));
  const text = [
    ...packages.map((each) => `${each.name.padEnd(12)}${each.percent.toFixed(2)} %  (${each.covered} of ${each.total} lines)`),
    ...worst.slice(0, 20).map((file) => `  ${file.path}: ${missing(file)} of ${file.total} lines not covered`),
  ].join('\n');
  return { text, isEnough: packages.every((each) => each.percent >= percent) };
}

function missing({ covered, total }) {
  return total - covered;
}

/** How often each line with a statement ran. */
function linesOf({ s, statementMap }) {
  const lines = new Map();
  for (const [id, { start }] of Object.entries(statementMap)) lines.set(start.line, Math.max(lines.get(start.line) ?? 0, s[id]));
  return lines;
}
