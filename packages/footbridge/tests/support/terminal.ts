/** Signing in from a terminal. */
import { expect, onTestFinished } from 'vitest';
import type { World } from './folders.js';
import type { ProtectedWorld } from './protected-server.js';
import { start } from './start.js';

/** Runs `footbridge login`, and signs in as a person would; returns what it printed. */
export async function login(
  world: World,
  server: ProtectedWorld,
  env: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
  name = server.url,
): Promise<string> {
  const started = await start({ args: ['login', name, '--no-browser', ...options], cwd: world.project, home: world.home, env });
  onTestFinished(() => started.stop('SIGKILL'));
  let printed = '';
  const link = new Promise<string>((resolve) => {
    started.stdout.on('data', (text) => {
      printed += text;
      const [found] = /http:\S+code_challenge\S+/.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  expect((await server.browse(await link)).status).toBe(200);
  expect(await started.exited).toBe(0);
  return printed;
}
