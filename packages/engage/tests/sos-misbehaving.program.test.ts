import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { temporaryFolder, useScriptAsSos } from './support/folder.js';
import { openPack } from './support/pack.js';
import { leftOf } from './support/processes.js';

const LONG = 60_000;

describe('an sos that misbehaves', () => {
  const SAVED = 'echo "Your sosreport has been generated and saved in:"';

  test.each([
    ['prints no archive', 'exit 0', 'archive_not_found'],
    ['prints a missing one', `${SAVED}; echo "$DIR/gone.tar.xz"`, 'archive_not_found'],
    ['prints one elsewhere', `${SAVED}; echo /etc/passwd`, 'path_unsafe'],
    ['leaves its folder', `touch "$DIR/../out.tar"; ${SAVED}; echo "$DIR/../out.tar"`, 'path_unsafe'],
    ['leaves a link', `ln -s /etc/passwd "$DIR/a.tar"; ${SAVED}; echo "$DIR/a.tar"`, 'path_unsafe'],
    ['writes an empty one', `: > "$DIR/a.tar"; ${SAVED}; echo "$DIR/a.tar"`, 'archive_not_found'],
    ['leaves a hard link', `echo a > "$DIR/b"; ln "$DIR/b" "$DIR/a.tar"; ${SAVED}; echo "$DIR/a.tar"`, 'path_unsafe'],
    ['leaves a folder', `mkdir "$DIR/a.tar"; ${SAVED}; echo "$DIR/a.tar"`, 'path_unsafe'],
    ['ends with an error', 'echo secret >&2; exit 3', 'unexpected_error'],
    [
      'says that it needs root',
      `echo "Could not initialize 'report': Component must be run with root privileges"; exit 1`,
      'privilege_required',
    ],
  ])('fails if it %s', async (_, body, code) => {
    await useScriptAsSos(body);
    const { jobs } = await openPack();
    const { jobId } = await jobs.start('ann', {});
    const { failure } = await jobs.wait('ann', jobId, { milliseconds: LONG });
    expect(failure?.code).toBe(code);
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  test('gives no archive if masking failed', async () => {
    await useScriptAsSos(`echo data > "$DIR/sosreport-host.tar.xz"; ${SAVED}; echo "$DIR/sosreport-host.tar.xz"`);
    const { jobs, stateFolder } = await openPack();
    const { jobId } = await jobs.start('ann', { redaction: true });
    expect((await jobs.wait('ann', jobId, { milliseconds: LONG })).failure?.message).toContain('could not mask');
    expect(await readdir(join(stateFolder, 'jobs'))).toEqual([]);
  });

  test('is killed with its process groups if it ignores SIGTERM', async () => {
    await useScriptAsSos(`trap '' TERM; timeout 1000 sh -c "trap '' TERM; while :; do sleep 1; done; : $DIR" & while :; do sleep 1; done`);
    const { jobs, stateFolder } = await openPack({ timeoutMs: 500 });
    const { jobId } = await jobs.start('ann', {});
    expect((await jobs.wait('ann', jobId, { milliseconds: LONG })).failure?.code).toBe('timeout');
    expect(await leftOf(stateFolder, jobId)).toEqual([]);
  });

  test('is killed quickly on shutdown', async () => {
    const ended = join(await temporaryFolder(), 'ended');
    await useScriptAsSos(`trap 'sleep 4; : > "${ended}"; exit' TERM; : > "$DIR/part"; while :; do sleep 0.1; done`);
    const { jobs, stateFolder } = await openPack();
    const { jobId } = await jobs.start('ann', {});
    await vi.waitFor(async () => expect(await readdir(join(stateFolder, 'jobs', jobId))).toEqual(['part']), LONG);
    await jobs.close();
    expect(existsSync(ended)).toBe(false);
    expect(await leftOf(stateFolder, jobId)).toEqual([]);
    expect(await readdir(join(stateFolder, 'jobs'))).toEqual([]);
    const { jobs: later } = await openPack({ stateFolder });
    expect((await later.state('ann', jobId)).failure?.message).toContain('stopped');
  });

  test('is killed with what it starts while it is killed', async () => {
    await useScriptAsSos(`trap '' TERM; : > "$DIR/part"; while :; do (sleep 1000 & ); sleep 0.01; done`);
    const { jobs, stateFolder } = await openPack();
    const { jobId } = await jobs.start('ann', {});
    await vi.waitFor(async () => expect(await readdir(join(stateFolder, 'jobs', jobId))).toEqual(['part']), LONG);
    await jobs.close();
    expect(await leftOf(stateFolder, jobId)).toEqual([]);
  });

  test('does not inherit the environment', async () => {
    await useScriptAsSos(`env > "$DIR/a.tar"; pwd >> "$DIR/a.tar"; ${SAVED}; echo "$DIR/a.tar"`);
    process.env['FOOTBRIDGE_ENGAGE_KEY'] = 'a-secret';
    const { jobs, artifacts } = await openPack();
    const { jobId } = await jobs.start('ann', {});
    delete process.env['FOOTBRIDGE_ENGAGE_KEY'];
    const { fetchReference = '' } = await jobs.wait('ann', jobId, { milliseconds: LONG });
    const { path } = await artifacts.fetch('ann', fetchReference);
    const lines = execFileSync('cat', [path], { encoding: 'utf8' }).trim().split('\n');
    // Node sets the first while measuring coverage.
    const allowed = ['NODE_V8_COVERAGE', 'PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'PYTHONUNBUFFERED', 'PWD'];
    expect(lines.filter((line) => !allowed.includes(line.split('=')[0] ?? ''))).toEqual(['/']);
  });
});
