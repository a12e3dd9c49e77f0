// The services that the Quilt pack reads from, on loopback and in a separate process, so that their cost does not count.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rolldown } from 'rolldown';

/** Starts them; resolves with the environment that points to them, and a function that stops them. */
export async function startSurroundings(workspace, ...args) {
  const folder = workspace.folder('quilt');
  // The script is TypeScript, like the tests.
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
