/** Bundles modules of the pack and a few lines of code into a program to run as a child process. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { newFolder } from './state-folder.js';

const MODULES = join(import.meta.dirname, '..', '..', 'dist');

/** Returns the path of the program. `code` imports modules as `#dist/…`. */
export async function programOf(code: string): Promise<string> {
  const folder = await newFolder();
  const entry = join(folder, 'entry.mjs');
  await writeFile(entry, code.replaceAll('#dist', MODULES));
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    resolve: { modules: [join(MODULES, '..', '..', '..', 'node_modules'), 'node_modules'] },
    logLevel: 'silent',
  });
  const file = join(folder, 'program.mjs');
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return file;
}
