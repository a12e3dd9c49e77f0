/** Temporary folders and expected failures. */
import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { Failure, type FailureCode } from '../../src/failure.js';

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'engage-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The `Failure` that is thrown, which must say what to do. */
export async function failureOf(attempt: () => unknown): Promise<Failure> {
  const thrown = await Promise.resolve()
    .then(attempt)
    .then(
      () => undefined,
      (cause: unknown) => cause,
    );
  if (!(thrown instanceof Failure)) throw new Error(`expected a failure, got ${String(thrown)}`);
  expect(thrown.message).toMatch(/\.$/);
  expect(thrown.action).toMatch(/\.$/);
  return thrown;
}

export async function codeOf(attempt: () => unknown): Promise<FailureCode> {
  return (await failureOf(attempt)).code;
}

/** Until the test ends. */
export function usePath(path: string): void {
  const before = process.env['PATH'];
  process.env['PATH'] = path;
  onTestFinished(() => {
    process.env['PATH'] = before;
  });
}

/** Uses a script instead of sos. Its `$DIR` is the folder of the job. */
export async function useScriptAsSos(body: string): Promise<void> {
  const folder = await temporaryFolder();
  const script = join(folder, 'sos');
  await writeFile(script, `#!/bin/sh\nDIR="$4"\n${body}\n`);
  await chmod(script, 0o755);
  usePath(`${folder}${delimiter}${process.env['PATH']}`);
}
