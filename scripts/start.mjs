// npm start: serves the example skills over HTTP on this machine.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { makeReady, root } from './ready.mjs';

makeReady();
const command = join(root, 'packages', 'footbridge', 'bin', 'footbridge.cjs');
const server = spawn(process.execPath, [command, 'serve', '--http', '127.0.0.1:3333', '--skills', join('examples', 'skills')], {
  cwd: root,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
