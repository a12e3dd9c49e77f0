/** What a started program gets to see of this machine. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { expect } from 'vitest';

const footbridge = join(import.meta.dirname, '..', '..');

/** Where processes report what they ran, while coverage is measured. */
const REPORTS = process.env['FOOTBRIDGE_TEST_COVERAGE'];
const testFile = expect.getState().testPath ?? '';
/** Tests of commands that only make sense as a process of their own. */
const isMeasured = REPORTS !== undefined && /[/\\](?:completion|dev|doctor|lock|surface)[\w-]*\.program\.test\.ts$/.test(testFile);

/** The command as a host starts it. */
export const LOADER = join(footbridge, 'bin', 'footbridge.cjs');
/** The built command; its sources in few files while coverage of them is measured. */
export const COMMAND = isMeasured ? join(footbridge, 'coverage', 'footbridge.cjs') : LOADER;

/** V8's code cache, shared by all starts: compiling takes a third of a start. */
const CODE = join(footbridge, '.tmp', 'code');

function shareCode(cache: string): void {
  if (!isAbsolute(cache) || existsSync(cache) || !existsSync(dirname(cache))) return;
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
    ...(isMeasured || isOfPack() ? { NODE_V8_COVERAGE: REPORTS } : {}),
    ...extra,
  };
}

/** Programs with a pack report what they ran of it. Everything else is covered in the test processes. */
function isOfPack(): boolean {
  return REPORTS !== undefined && /[/\\]packages[/\\](?:engage|quilt)[/\\]/.test(expect.getState().testPath ?? '');
}

/** What `--pack` gets: the pack as it is published, or its sources in one file while coverage is measured. */
export function packName(name: 'engage' | 'quilt'): string {
  if (REPORTS === undefined) return `@footbridge/${name}`;
  return join(footbridge, '..', name, 'coverage', 'index.js');
}
