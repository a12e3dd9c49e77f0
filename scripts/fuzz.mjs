// npm run fuzz -- [SECONDS] [--seed N]: sends generated input to every entry point. `npm run fuzz -- --help` lists the options.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeReady, root } from './ready.mjs';

makeReady();
// It may have been installed just now.
const { rolldown } = await import('rolldown');
const folder = join(root, '.tmp', 'fuzz');
rmSync(folder, { recursive: true, force: true });
const build = await rolldown({ input: { main: join(root, 'fuzz', 'main.ts') }, platform: 'node' });
await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
await build.close();

const { main } = await import(pathToFileURL(join(folder, 'main.mjs')).href);
process.exit(await main(process.argv.slice(2), root));
