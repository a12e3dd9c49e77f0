// Bundles what programs import: the library, and each pack with its dependencies.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { modulesIn } from './page.mjs';

/** Packages stay imports: npm installs them with the library. */
const PACKAGES = /^[^./]/;

/**
 * Writes a module with its declarations for each entry point into `target`, and beside them the chunks that they share. `entries` maps the
 * name of an entry point to its path without an ending, relative to `sources` and to `declarations`, which the compiler wrote.
 */
export async function bundleLibrary(entries, sources, declarations, target) {
  rmSync(target, { recursive: true, force: true });
  await write({ input: inputs(entries, sources, '.ts'), platform: 'node', external: PACKAGES, treeshake: true }, target, 'js');
  await write(
    { input: inputs(entries, declarations, '.d.ts'), external: PACKAGES, plugins: [dts({ dtsInput: true, tsconfig: false })] },
    target,
    'd.ts',
  );
}

/** Writes a pack with all of its dependencies into `target`, with its declarations; returns the modules in the bundle. */
export async function bundlePack(sources, declarations, target) {
  const input = { index: join(sources, 'index.ts') };
  const output = await write({ input, platform: 'node', treeshake: true }, target, 'js', { minify: true });
  await write(
    { input: { index: join(declarations, 'index.d.ts') }, external: PACKAGES, plugins: [dts({ dtsInput: true, tsconfig: false })] },
    target,
    'd.ts',
  );
  return modulesIn(output);
}

function inputs(entries, folder, ending) {
  return Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(folder, path + ending)]));
}

async function write(input, dir, ending, options = {}) {
  const build = await rolldown(input);
  const { output } = await build.write({
    dir,
    format: 'esm',
    entryFileNames: ending === 'js' ? '[name].js' : undefined,
    chunkFileNames: `[name]-[hash].${ending}`,
    ...options,
  });
  await build.close();
  return output;
}
