// npm start: serves the example skills over HTTP on loopback. `npm start -- --http 3400` and other options of `serve` take precedence.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeReady, root } from './ready.mjs';

makeReady();
process.chdir(root);
const given = process.argv.slice(2);
const isGiven = (option) => given.some((word) => word === option || word.startsWith(`${option}=`));
process.argv.splice(
  2,
  Infinity,
  'serve',
  ...(isGiven('--http') ? [] : ['--http', '127.0.0.1:3333']),
  ...(isGiven('--skills') ? [] : ['--skills', join('examples', 'skills')]),
  ...given,
);
createRequire(import.meta.url)('../packages/footbridge/bin/footbridge.cjs');
