// npm start: serves the example skills over HTTP on loopback.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeReady, root } from './ready.mjs';

makeReady();
process.chdir(root);
process.argv.splice(2, Infinity, 'serve', '--http', '127.0.0.1:3333', '--skills', join('examples', 'skills'));
createRequire(import.meta.url)('../packages/footbridge/bin/footbridge.cjs');
