/** The environment of started programs. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { expect } from 'vitest';

const footbridge = join(import.meta.dirname, '..', '..');

/** Where processes report what they ran, while coverage is measured. */
const REPORTS = process.env['FOOTBRIDGE_TEST_COVERAGE'];
/** Tests of commands that only make sense as a process of their own. */
const MEASURED = /[/\\](?:completion|dev|doctor|lock)[\w-]*\.program\.test\.ts$/;
/** Tests that together run nearly all of a pack. A report makes a start half as long again, so the others write none. */
const MEASURED_OF_PACK = /[/\\](?:engage[/\\]tests[/\\]secret\.sos|quilt[/\\]tests[/\\]sessions)\.program\.test\.ts$/;

/** The command as a host starts it. */
export const LOADER = join(footbridge, 'bin', 'footbridge.cjs');

/** The command that the tests of this file start: its sources in few files while coverage of them is measured. */
export function command(): string {
  return isMeasured() ? join(footbridge, 'coverage', 'footbridge.cjs') : LOADER;
}

/** The file of the running test. Files share the modules of a worker, so this is not known when a module is loaded. */
export function testFile(): string {
  return expect.getState().testPath ?? '';
}

function isMeasured(): boolean {
  return REPORTS !== undefined && MEASURED.test(testFile());
}

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
    // The keychain of the developer must not be used.
    FOOTBRIDGE_KEYCHAIN: 'off',
    ...(isMeasured() || measuresPack() ? { NODE_V8_COVERAGE: REPORTS } : {}),
    ...extra,
  };
}

function measuresPack(): boolean {
  return REPORTS !== undefined && MEASURED_OF_PACK.test(testFile());
}

/** The value of `--pack`: the published pack, or its sources in one file while their coverage is measured. */
export function packName(name: 'engage' | 'quilt'): string {
  if (!measuresPack()) return `@footbridge/${name}`;
  return join(footbridge, '..', name, 'coverage', 'index.js');
}
