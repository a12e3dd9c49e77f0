// npm run hosts: drives real hosts with a scripted model, checks what of Footbridge reaches the model, and writes docs/hosts.md.
// `npm run hosts -- --help` lists the options.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeReady, root } from './ready.mjs';

makeReady();
// It may have been installed just now.
const { rolldown } = await import('rolldown');
const folder = join(root, '.tmp', 'hosts');
const source = (name) => join(root, 'hosts', `${name}.ts`);
rmSync(folder, { recursive: true, force: true });
const build = await rolldown({
  input: { main: source('main'), tap: source('tap'), 'other-server': source('other-server') },
  platform: 'node',
});
await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
await build.close();

const { main } = await import(pathToFileURL(join(folder, 'main.mjs')).href);
process.exit(await main(process.argv.slice(2), { root, tap: join(folder, 'tap.mjs'), otherServer: join(folder, 'other-server.mjs') }));
