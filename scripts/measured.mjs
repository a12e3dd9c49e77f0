// The program as coverage measures it: all of its sources in few files, none left out, which start in a third of the modules' time.
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { bundling } from './bundle.mjs';

/** Bundles `input`, a source, into `folder/footbridge.cjs` and the chunks it loads later, each with its map beside it. */
export async function bundleMeasured(input, folder) {
  rmSync(folder, { recursive: true, force: true });
  // What is left out would count as covered.
  const build = await rolldown({ ...bundling(input), treeshake: false, optimization: { inlineConst: false } });
  await build.write({
    dir: folder,
    format: 'cjs',
    // The files do not name their maps yet: each process would read them, and write them all into its report.
    sourcemap: 'hidden',
    minify: false,
    // The servers that it starts are not what is measured.
    banner: ({ isEntry }) => (isEntry ? 'delete process.env.NODE_V8_COVERAGE;' : ''),
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  });
  await build.close();
}

/** Lets each file name its map, once all processes have written their reports, so that these are about the sources. */
export function nameMaps(folder) {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.cjs.map'))) {
    const file = join(folder, name);
    const map = JSON.parse(readFileSync(file, 'utf8'));
    // By their whole paths, by which the report chooses them.
    writeFileSync(file, JSON.stringify({ ...map, sources: map.sources.map((source) => resolve(folder, source)) }));
    appendFileSync(file.replace(/\.map$/, ''), `\n//# sourceMappingURL=${basename(file)}\n`);
  }
}
