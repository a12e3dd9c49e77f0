// What the Quilt pack reads from, on loopback and in a process of its own, so that it does not count.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rolldown } from 'rolldown';

/** Starts it; resolves with the environment that leads to it, and the way to end it. */
export async function startSurroundings(workspace, ...args) {
  const folder = workspace.folder('quilt');
  // It is written in TypeScript, as the tests are.
  const build = await rolldown({ input: join(import.meta.dirname, 'world.ts'), platform: 'node' });
  const { output } = await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
  await build.close();
  const child = spawn(process.execPath, [join(folder, output[0].fileName), ...args.map(String)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    environment: JSON.parse(line),
    async stop() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
