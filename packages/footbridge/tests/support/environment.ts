/** What a started program gets to see of this machine. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';

const footbridge = join(import.meta.dirname, '..', '..');

/** The built command. */
export const COMMAND = join(footbridge, 'bin', 'footbridge.cjs');

/** V8's code cache, shared by all starts: compiling takes a third of a start. */
const CODE = join(footbridge, 'coverage', 'code');

function shareCode(cache: string): void {
  if (existsSync(cache) || !existsSync(dirname(cache))) return;
  mkdirSync(CODE, { recursive: true });
  mkdirSync(cache, { mode: 0o700 });
  symlinkSync(CODE, join(cache, 'code'), 'junction');
}

/** The environment of a user whose home is `home`, without the variables of this process. */
export function environment(home: string, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  if (extra['FOOTBRIDGE_CACHE'] === undefined) shareCode(join(home, 'cache'));
  return {
    PATH: process.env['PATH'],
    HOME: home,
    USERPROFILE: home,
    FOOTBRIDGE_CACHE: join(home, 'cache'),
    ...coverageOfPacks(),
    ...extra,
  };
}

/** Programs with a pack report what they ran of it. Everything else is covered in the test processes. */
function coverageOfPacks(): NodeJS.ProcessEnv {
  const folder = process.env['FOOTBRIDGE_TEST_COVERAGE'];
  return folder !== undefined && /[/\\]packages[/\\](?:engage|quilt)[/\\]/.test(expect.getState().testPath ?? '')
    ? { NODE_V8_COVERAGE: folder }
    : {};
}

/** What `--pack` gets: the pack as it is published, or its sources in one file while coverage is measured. */
export function packName(name: 'engage' | 'quilt'): string {
  if (process.env['FOOTBRIDGE_TEST_COVERAGE'] === undefined) return `@footbridge/${name}`;
  return join(footbridge, '..', name, 'coverage', 'index.js');
}
