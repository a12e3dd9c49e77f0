// Line coverage of each package: what the test processes ran of the sources, and what the programs they started ran of the packs.
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './ready.mjs';

export const PACKS = ['engage', 'quilt'];
/** Where processes write V8's reports, and where those about the packs are copied to. */
export const RAW = join(root, 'coverage', 'raw');
export const PACKS_RAW = join(root, 'coverage', 'raw-packs');

/** Builds `packages/NAME/coverage/index.js` from the sources of each pack, with nothing removed, so that every line counts. */
export async function bundleForCoverage() {
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
    // Without a comment that names the map: `keepPacks` adds it once all processes have written their reports.
    await build.write({ dir, format: 'esm', sourcemap: 'hidden', entryFileNames: '[name].js', codeSplitting: false });
    await build.close();
    if (existsSync(join(folder, 'bundle', 'page'))) cpSync(join(folder, 'bundle', 'page'), join(dir, 'page'), { recursive: true });
  }
}

/**
 * Copies the reports of processes, reduced to the packs, and lets each bundle name its map. If a bundle named it earlier, Node would put the
 * map into every report, and c8 would then count every line as covered.
 */
export function keepPacks() {
  for (const name of PACKS) nameMap(join(root, 'packages', name, 'coverage', 'index.js'));
  mkdirSync(PACKS_RAW, { recursive: true });
  for (const name of readdirSync(RAW)) {
    const { result = [] } = JSON.parse(readFileSync(join(RAW, name), 'utf8'));
    const own = result.filter(({ url }) => /\/packages\/(?:engage|quilt)\/coverage\//.test(url));
    if (own.length > 0) writeFileSync(join(PACKS_RAW, name), JSON.stringify({ result: own }));
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
