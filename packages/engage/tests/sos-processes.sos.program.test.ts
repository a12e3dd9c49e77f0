import { once } from 'node:events';
import { chown, lchown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { currentHost, identify, isAlive, listWithPs } from '../src/sos/processes.js';
import { failureOf, temporaryFolder, useScriptAsSos } from './support/folder.js';
import { openPack } from './support/pack.js';
import { leftOf, startProgram } from './support/processes.js';

const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
const isRoot = process.getuid?.() === 0;
const SMALL = { onlyPlugins: ['host'] };
const LONG = 60_000;

describe('a server that is killed while sos runs', () => {
  async function killed() {
    const stateFolder = await temporaryFolder();
    const program = await startProgram(stateFolder, { start: {} });
    const { jobId } = await program.next();
    program.child.kill('SIGKILL');
    await once(program.child, 'exit');
    return { stateFolder, jobId: String(jobId) };
  }

  test('loses its job, which the next server ends and reports', async () => {
    const { stateFolder, jobId } = await killed();
    const { jobs } = await openPack({ stateFolder });
    await jobs.recover();
    expect(await leftOf(stateFolder, jobId)).toEqual([]);
    const state = await jobs.state('ann', jobId);
    expect(state).toMatchObject({ status: 'failed', failure: { code: 'unexpected_error', message: expect.stringContaining('restarted') } });
    expect(await readdir(join(stateFolder, 'jobs'))).toEqual([]);
  });

  test('does not block other jobs', async () => {
    const { stateFolder, jobId } = await killed();
    const { jobs } = await openPack({ stateFolder });
    const again = await jobs.start('ann', SMALL);
    expect(await leftOf(stateFolder, jobId)).toEqual([]);
    expect((await jobs.wait('ann', again.jobId, { milliseconds: LONG })).status).toBe('completed');
  });

  test('is not confused with a process that reuses its pid', async () => {
    const { stateFolder, jobId } = await killed();
    const file = join(stateFolder, 'job-starts', `${jobId}.json`);
    const { jobs } = await openPack({ stateFolder });
    await jobs.recover();
    // A record of an earlier server with the pid of this process.
    const impostor = { pid: process.pid, started: 'long ago' };
    const place = await currentHost();
    const endsBy = Number.MAX_SAFE_INTEGER;
    await writeFile(file, JSON.stringify({ id: jobId, owner: 'bob', startedAt: 1, endsBy, place, runner: impostor, sos: impostor }));
    await rm(join(stateFolder, 'job-ends', `${jobId}.json`));
    await jobs.recover();
    expect((await jobs.state('bob', jobId)).status).toBe('failed');
  });
});

describe('two servers on one folder', () => {
  test('see, queue behind and cancel each other’s jobs', async () => {
    const stateFolder = await temporaryFolder();
    const program = await startProgram(stateFolder, { start: {} });
    const jobId = String((await program.next())['jobId']);
    const { jobs } = await openPack({ stateFolder });
    await jobs.recover();
    expect((await jobs.state('ann', jobId)).status).toBe('running');
    expect((await failureOf(() => jobs.start('ann', SMALL))).details.job_id).toBe(jobId);
    const mine = await jobs.start('bob', SMALL);
    expect(mine.progress?.message).toContain('Waiting');
    // The process that runs the job may report progress until it sees the cancellation.
    const { progress: _, ...state } = await jobs.wait('ann', jobId, { milliseconds: LONG, signal: AbortSignal.abort() });
    expect(state.failure?.message).toContain('cancelled');
    expect(await leftOf(stateFolder, jobId)).toEqual([]);
    expect(await program.next()).toMatchObject(state);
    expect((await jobs.wait('bob', mine.jobId, { milliseconds: LONG })).status).toBe('completed');
  });

  test('start one job of an owner who calls all of them concurrently', async () => {
    const stateFolder = await temporaryFolder();
    const packs = await Promise.all([openPack({ stateFolder }), openPack({ stateFolder }), openPack({ stateFolder })]);
    const started = await Promise.allSettled(packs.map(({ jobs }) => jobs.start('ann', SMALL)));
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('a server on another machine or in a container, with the same folder', () => {
  /** Not a pid of this machine. */
  const runner = { pid: 2 ** 30, started: 'then' };

  test.each([
    ['ran before a reboot of this machine', 'failed', { boot: 'before' }],
    ['is in another container', 'running', { namespace: 'pid:[1]' }],
    ['is on another machine', 'running', { machine: 'other', boot: 'other' }],
  ])('that %s has a job that is %s', async (_, status, elsewhere) => {
    const { jobs, stateFolder } = await openPack();
    const place = { ...(await currentHost()), ...elsewhere };
    await mkdir(join(stateFolder, 'job-starts'));
    const job = { id: 'one', owner: 'ann', startedAt: Date.now(), endsBy: Date.now() + LONG, place, runner };
    await writeFile(join(stateFolder, 'job-starts', 'one.json'), JSON.stringify(job));
    await jobs.recover();
    expect((await jobs.state('ann', 'one')).status).toBe(status);
  });

  test.runIf(isRoot)('keeps its job and folder until its deadline', async () => {
    await useScriptAsSos('while :; do sleep 0.1; done');
    const stateFolder = await temporaryFolder();
    const program = await startProgram(stateFolder, { start: {} }, ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']);
    const jobId = String((await program.next())['jobId']);
    const { clock, jobs } = await openPack({ stateFolder });
    clock.now += 10 * 60_000;
    await jobs.recover();
    expect((await jobs.state('ann', jobId)).status).toBe('running');
    expect(await readdir(join(stateFolder, 'jobs'))).toEqual([jobId]);
    expect((await failureOf(() => jobs.start('ann', SMALL))).details.job_id).toBe(jobId);
    // The timeout of that program is a minute.
    clock.now += 60_000;
    await jobs.recover();
    expect((await jobs.state('ann', jobId)).failure?.message).toContain('restarted');
    expect(await readdir(join(stateFolder, 'jobs'))).toEqual([]);
  });
});

describe.runIf(isRoot)('a user who is not root', () => {
  test('gets privilege_required without passwordless sudo', async () => {
    const stateFolder = await temporaryFolder();
    await chown(stateFolder, NOBODY, NOBODY);
    const program = await startProgram(stateFolder, { start: SMALL }, AS_NOBODY);
    expect(await program.next()).toMatchObject({ code: 'privilege_required' });
    expect(await readdir(stateFolder)).toEqual(['references.key']);
  });

  test('cannot fetch an archive of root', async () => {
    const { stateFolder, jobs } = await openPack();
    const { jobId } = await jobs.start('ann', SMALL);
    const { archiveName = '', fetchReference = '' } = await jobs.wait('ann', jobId, { milliseconds: LONG });
    for (const path of await readdir(stateFolder, { recursive: true })) {
      if (!path.endsWith(archiveName)) await lchown(join(stateFolder, path), NOBODY, NOBODY);
    }
    await chown(stateFolder, NOBODY, NOBODY);
    const program = await startProgram(stateFolder, { fetch: fetchReference }, AS_NOBODY);
    expect(await program.next()).toMatchObject({ code: 'read_failed' });
    expect(await readdir(join(stateFolder, 'artifacts'))).toEqual([]);
  });
});

test('a process is distinguished from a later one with the same pid', async () => {
  const self = await identify(process.pid);
  expect(self).toBeDefined();
  expect(await isAlive({ pid: process.pid, started: self?.started ?? '' })).toBe(true);
  expect(await isAlive({ pid: process.pid, started: 'another time' })).toBe(false);
  expect((await listWithPs()).get(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid });
});
