import { execFileSync } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Artifacts } from '../src/sos/artifacts.js';
import type { JobState } from '../src/sos/job-records.js';
import type { SosProgress } from '../src/sos/output.js';
import { openPack } from './support/pack.js';
import { leftOf } from './support/processes.js';

const SMALL = { onlyPlugins: ['host', 'kernel'] };
const LONG = 60_000;

/** Lists the archive. */
async function contents(artifacts: Artifacts, { fetchReference = '' }: JobState): Promise<string> {
  const { path } = await artifacts.fetch('ann', fetchReference);
  return execFileSync('tar', ['-tf', path], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

describe('sos', () => {
  test('collects an archive, reports progress, and returns a fetch reference', async () => {
    const { jobs, artifacts, stateFolder, references, clock } = await openPack();
    const updates: string[] = [];
    const shown: SosProgress[] = [];
    jobs.onUpdate((jobId) => updates.push(jobId));
    const { jobId, status } = await jobs.start('ann', SMALL, { sessionId: 'session-1' });
    expect(status).toBe('running');
    const state = await jobs.wait('ann', jobId, { milliseconds: LONG, onProgress: (progress) => shown.push(progress) });
    expect(state).toMatchObject({ status: 'completed', startedAt: clock.now, finishedAt: clock.now });
    const { size, mode } = await stat(join(stateFolder, 'jobs', jobId, state.archiveName ?? ''));
    expect(state.sizeBytes).toBe(size);
    expect(mode & 0o077).toBe(0);
    expect((await stat(join(stateFolder, 'jobs', jobId))).mode & 0o777).toBe(0o700);
    expect(references.read(state.fetchReference ?? '')).toMatchObject({
      scope: 'sosreport:fetch',
      claims: { owner: 'ann', job: jobId, session: 'session-1' },
    });
    expect(shown.length).toBeGreaterThan(0);
    for (const { total, message } of shown) {
      expect(total).toBe(2);
      expect(message).toMatch(/^(Collecting (host|kernel)|Finishing the last plugins|Packing the archive)$/);
    }
    expect(new Set(updates)).toEqual(new Set([jobId]));
    const names = await contents(artifacts, state);
    expect(names).toContain('/sos_commands/kernel/');
    expect(names).not.toContain('/sos_commands/networking/');
    // Other processes see the same state.
    const other = await openPack({ stateFolder });
    expect(await other.jobs.state('ann', jobId)).toEqual(state);
  });

  test('masks names and addresses without changing the map of the machine', async () => {
    const { jobs, artifacts } = await openPack();
    const before = await readdir('/etc/sos/cleaner').catch(() => []);
    const { jobId } = await jobs.start('ann', { onlyPlugins: ['host'], redaction: true });
    const state = await jobs.wait('ann', jobId, { milliseconds: LONG });
    expect(state.archiveName).toContain('-obfuscated');
    expect(await contents(artifacts, state)).toContain('/sos_commands/host/');
    expect(await readdir('/etc/sos/cleaner').catch(() => [])).toEqual(before);
  });

  test('skips disabled plugins and reports unknown ones', async () => {
    const { jobs, artifacts } = await openPack();
    const all = execFileSync('sos', ['report', '--list-plugins'], { encoding: 'utf8', cwd: '/' });
    const [enabled = ''] = all.split('The following plugins are currently disabled');
    const names = [...enabled.matchAll(/^ ([a-z0-9_]+) {2,}/gm)].flatMap(([, name]) => (name === undefined ? [] : [name]));
    const disablePlugins = names.filter((name) => name !== 'host').slice(0, 100);
    const { jobId } = await jobs.start('ann', { disablePlugins, enablePlugins: ['host'], logSize: '1m' });
    const state = await jobs.wait('ann', jobId, { milliseconds: LONG });
    expect(state.status).toBe('completed');
    const inside = await contents(artifacts, state);
    expect(inside).toContain('/sos_commands/host/');
    expect(inside).not.toContain('/sos_commands/kernel/');

    const wrong = await jobs.start('ann', { onlyPlugins: ['nosuchplugin'] });
    const { failure } = await jobs.wait('ann', wrong.jobId, { milliseconds: LONG });
    expect(failure).toMatchObject({ code: 'validation_error', message: 'sos has no plugin "nosuchplugin".' });
  });

  test('is terminated with its descendants after the timeout', async () => {
    const { jobs, stateFolder } = await openPack({ timeoutMs: 1_500 });
    const { jobId } = await jobs.start('ann', {});
    expect(await leftOf(stateFolder, jobId)).not.toEqual([]);
    const state = await jobs.wait('ann', jobId, { milliseconds: LONG });
    expect(state).toMatchObject({ status: 'failed', failure: { code: 'timeout' } });
    expect(await leftOf(stateFolder, jobId)).toEqual([]);
    expect(await readdir(join(stateFolder, 'jobs'))).toEqual([]);
  });

  test('is terminated when cancelled', async () => {
    const { jobs, stateFolder } = await openPack();
    const { jobId } = await jobs.start('ann', {});
    const controller = new AbortController();
    const waiting = jobs.wait('ann', jobId, {
      milliseconds: LONG,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(await waiting).toMatchObject({ status: 'failed', failure: { code: 'unexpected_error', message: 'The job was cancelled.' } });
    expect(await leftOf(stateFolder, jobId)).toEqual([]);
  });

  test('is terminated when the server stops', async () => {
    const { jobs, stateFolder } = await openPack();
    const { jobId } = await jobs.start('ann', {});
    await jobs.close();
    expect(await leftOf(stateFolder, jobId)).toEqual([]);
    const { jobs: later } = await openPack({ stateFolder });
    expect((await later.state('ann', jobId)).failure?.message).toContain('stopped');
  });
});
