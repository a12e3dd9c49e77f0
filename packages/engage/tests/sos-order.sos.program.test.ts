import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { locate } from '../src/sos/processes.js';
import { codeOf, failureOf, usePath, useScriptAsSos } from './support/folder.js';
import { openPack } from './support/pack.js';

const SMALL = { onlyPlugins: ['host', 'date'] };
const LONG = 60_000;

describe('jobs', () => {
  test('run one at a time, and at most one per owner', async () => {
    const { jobs } = await openPack();
    const first = await jobs.start('ann', SMALL);
    const refused = await failureOf(() => jobs.start('ann', SMALL));
    expect(refused).toMatchObject({ code: 'validation_error', details: { job_id: first.jobId } });
    const second = await jobs.start('bob', SMALL);
    expect(second).toMatchObject({ status: 'running', progress: { message: expect.stringContaining('Waiting') } });
    const done = await jobs.wait('bob', second.jobId, { milliseconds: LONG });
    expect(done.status).toBe('completed');
    expect((await jobs.state('ann', first.jobId)).status).toBe('completed');
    const again = await jobs.start('ann', SMALL);
    expect(again.status).toBe('running');
  });

  test('can be cancelled while queued', async () => {
    const { jobs, stateFolder } = await openPack();
    await jobs.start('ann', {});
    const { jobId } = await jobs.start('bob', {});
    const state = await jobs.wait('bob', jobId, { milliseconds: LONG, signal: AbortSignal.abort() });
    expect(state.failure?.message).toContain('cancelled');
    expect(await readdir(join(stateFolder, 'jobs'))).not.toContain(jobId);
  });

  test('renew their deadline while queued', async () => {
    await useScriptAsSos('while :; do sleep 0.1; done');
    const { jobs, stateFolder, clock } = await openPack();
    await jobs.start('ann', {});
    const { jobId } = await jobs.start('bob', {});
    const endsBy = async () => JSON.parse(await readFile(join(stateFolder, 'job-starts', `${jobId}.json`), 'utf8')).endsBy;
    const before = await endsBy();
    clock.now += 60_000;
    await vi.waitFor(async () => expect(await endsBy()).toBe(before + 60_000), LONG);
  });

  test('of another owner give the same error as unknown ones', async () => {
    const { jobs } = await openPack();
    const { jobId } = await jobs.start('ann', SMALL);
    const [others, unknown] = [await failureOf(() => jobs.state('bob', jobId)), await failureOf(() => jobs.state('ann', '../x'))];
    expect(others.code).toBe('validation_error');
    expect(others.text).toBe(unknown.text);
  });

  test('are returned as running when the wait times out', async () => {
    const { jobs } = await openPack();
    const { jobId } = await jobs.start('ann', {});
    expect((await jobs.wait('ann', jobId, { milliseconds: 0 })).status).toBe('running');
  });

  test('are removed with their archives after a day', async () => {
    const { jobs, stateFolder, clock } = await openPack();
    const { jobId } = await jobs.start('ann', SMALL);
    await jobs.wait('ann', jobId, { milliseconds: LONG });
    // Left behind by a process that was killed.
    await mkdir(join(stateFolder, 'jobs', 'unknown'));
    clock.now += 24 * 60 * 60 * 1000 - 1;
    await jobs.sweep();
    expect((await jobs.state('ann', jobId)).status).toBe('completed');
    clock.now = Date.now() + 24 * 60 * 60 * 1000;
    await jobs.sweep();
    expect(await codeOf(() => jobs.state('ann', jobId))).toBe('validation_error');
    expect(await readdir(join(stateFolder, 'jobs'))).toEqual([]);
  });

  test('keep no folder after a failure, even if it was not removed at once', async () => {
    await useScriptAsSos('exit 3');
    const { jobs, stateFolder } = await openPack();
    const { jobId } = await jobs.start('ann', {});
    expect((await jobs.wait('ann', jobId, { milliseconds: LONG })).status).toBe('failed');
    await mkdir(join(stateFolder, 'jobs', jobId));
    await jobs.recover();
    expect(await readdir(join(stateFolder, 'jobs'))).toEqual([]);
    expect((await jobs.state('ann', jobId)).status).toBe('failed');
  });

  test('find programs in sbin folders that are not in PATH', async () => {
    usePath('/usr/bin:/bin');
    expect(await locate('ldconfig')).toMatch(/bin\/ldconfig$/);
    usePath('/nonexistent/bin');
    expect(await locate('ldconfig')).toBeUndefined();
  });

  test('do not start without sos and leave nothing behind', async () => {
    const { jobs, stateFolder } = await openPack();
    usePath('/nonexistent');
    expect(await codeOf(() => jobs.start('ann', SMALL))).toBe('dependency_missing');
    expect(await codeOf(() => jobs.start('ann', { logSize: '0' }))).toBe('validation_error');
    expect(await readdir(stateFolder)).toEqual(['references.key']);
  });
});
