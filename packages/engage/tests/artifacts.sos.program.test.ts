import { createHash } from 'node:crypto';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { References } from '../src/references.js';
import { Jobs } from '../src/sos/jobs.js';
import { Sessions } from '../src/workflow/consent.js';
import { codeOf, failureOf, temporaryFolder } from './support/folder.js';
import { openPack } from './support/pack.js';
import { startProgram } from './support/processes.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A state folder with a completed sos job; each test uses a copy. */
let origin: { readonly folder: string; readonly jobId: string; readonly sessionId: string };

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'engage-'));
  const references = await References.open(folder);
  const jobs = new Jobs({ stateFolder: folder, references, timeoutMs: 60_000 });
  const session = await new Sessions(folder).select('ann', 'linux');
  const { jobId } = await jobs.start('ann', { onlyPlugins: ['host'] }, { sessionId: session.id });
  await jobs.wait('ann', jobId, { milliseconds: 60_000 });
  origin = { folder, jobId, sessionId: session.id };
  return () => rm(folder, { recursive: true, force: true });
});

async function generated(options: Parameters<typeof openPack>[0] = {}) {
  const stateFolder = await temporaryFolder();
  await cp(origin.folder, stateFolder, { recursive: true });
  const pack = await openPack({ ...options, stateFolder });
  const { jobId, sessionId } = origin;
  const { fetchReference = '', archiveName = '' } = await pack.jobs.state('ann', jobId);
  const jobFolder = join(stateFolder, 'jobs', jobId);
  return { ...pack, sessionId, jobId, fetchReference, jobFolder, archive: join(jobFolder, archiveName), archiveName };
}

async function fetched(options: Parameters<typeof openPack>[0] = {}) {
  const pack = await generated(options);
  return { ...pack, ...(await pack.artifacts.fetch('ann', pack.fetchReference)) };
}

describe('fetching', () => {
  test('returns one private copy with its SHA-256 in every process, and advances the workflow', async () => {
    const { stateFolder, artifacts, fetchReference, archive, archiveName, sessions, sessionId } = await generated();
    const { artifacts: elsewhere } = await openPack({ stateFolder });
    const [artifact, other] = await Promise.all([artifacts.fetch('ann', fetchReference), elsewhere.fetch('ann', fetchReference)]);
    const content = await readFile(archive);
    expect(artifact).toMatchObject({ archiveName, sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') });
    expect(await readFile(artifact.path)).toEqual(content);
    expect((await stat(artifact.path)).mode & 0o777).toBe(0o600);
    expect(other).toEqual(artifact);
    expect(await artifacts.fetch('ann', fetchReference)).toEqual(artifact);
    expect(await readdir(join(stateFolder, 'artifacts'))).toHaveLength(1);
    expect((await sessions.find('ann', sessionId)).step).toBe('jira-attach');
  });

  test('copies the archive again if the copy was modified', async () => {
    const { artifacts, fetchReference, path, sha256, artifactRef } = await fetched();
    await writeFile(path, 'something else');
    const again = await artifacts.fetch('ann', fetchReference);
    expect(again.sha256).toBe(sha256);
    expect(again.path).not.toBe(path);
    expect(await codeOf(() => artifacts.open('ann', artifactRef))).toBe('artifact_invalid');
    await (await artifacts.open('ann', again.artifactRef)).handle.close();
  });

  test('requires a valid reference of the caller that has not expired', async () => {
    const { artifacts, fetchReference, artifactRef, clock } = await fetched();
    for (const wrong of ['', 'x.y', `${fetchReference}x`, artifactRef]) {
      expect(await codeOf(() => artifacts.fetch('ann', wrong))).toBe('validation_error');
    }
    expect(await codeOf(() => artifacts.fetch('bob', fetchReference))).toBe('validation_error');
    clock.now += DAY_MS;
    expect((await failureOf(() => artifacts.fetch('ann', fetchReference))).message).toContain('expired');
  });

  test('reports a missing archive', async () => {
    const { artifacts, fetchReference, archive } = await generated();
    await rm(archive);
    expect(await codeOf(() => artifacts.fetch('ann', fetchReference))).toBe('archive_not_found');
  });

  test('does not follow a link in place of the archive or its folder', async () => {
    const { artifacts, fetchReference, archive, jobFolder, stateFolder } = await generated();
    await rename(archive, `${archive}.aside`);
    await symlink('/etc/passwd', archive);
    expect(await codeOf(() => artifacts.fetch('ann', fetchReference))).toBe('path_unsafe');
    await rm(archive);
    await rename(`${archive}.aside`, archive);
    await rename(jobFolder, `${jobFolder}-aside`);
    await symlink(`${jobFolder}-aside`, jobFolder);
    expect(await codeOf(() => artifacts.fetch('ann', fetchReference))).toBe('path_unsafe');
    expect(await readdir(join(stateFolder, 'artifacts'))).toEqual([]);
  });

  test('leaves nothing behind when the copy fails', async () => {
    const { stateFolder, fetchReference, archive } = await generated();
    const { size } = await stat(archive);
    // The limit is enough for the records, but not for the archive.
    const program = await startProgram(stateFolder, { fetch: fetchReference }, ['prlimit', `--fsize=${size - 100}`]);
    expect(await program.next()).toMatchObject({ code: 'copy_failed' });
    expect(await readdir(join(stateFolder, 'artifacts'))).toEqual([]);
  });
});

describe('opening for an upload', () => {
  test('opens the fetched file', async () => {
    const { artifacts, artifactRef, archive, archiveName, sha256, sizeBytes } = await fetched();
    const { handle, ...opened } = await artifacts.open('ann', artifactRef);
    expect(opened).toEqual({ name: archiveName, sizeBytes, sha256 });
    expect(await handle.readFile()).toEqual(await readFile(archive));
    await handle.close();
  });

  test('fails with the same error for another owner, another reference, and after a day', async () => {
    const { artifacts, artifactRef, fetchReference, clock } = await fetched();
    const failures = [
      await failureOf(() => artifacts.open('bob', artifactRef)),
      await failureOf(() => artifacts.open('ann', fetchReference)),
      await failureOf(() => artifacts.open('ann', 'nonsense')),
    ];
    clock.now += DAY_MS;
    failures.push(await failureOf(() => artifacts.open('ann', artifactRef)));
    expect(failures.map(({ code }) => code)).toEqual(Array(4).fill('artifact_invalid'));
    expect(new Set(failures.map(({ text }) => text)).size).toBe(1);
  });

  test('rejects a file that is too large and says what to do', async () => {
    const { artifacts, artifactRef } = await fetched({ maxBytes: 1024 });
    const failure = await failureOf(() => artifacts.open('ann', artifactRef));
    expect(failure.code).toBe('artifact_invalid');
    expect(failure.action).toContain('only_plugins');
  });

  test.each<[string, (path: string) => Promise<unknown>]>([
    ['was emptied', (path) => truncate(path)],
    ['is gone', (path) => rm(path)],
    [
      'was replaced by a link',
      async (path) => {
        await rename(path, `${path}.aside`);
        await symlink(`${path}.aside`, path);
      },
    ],
    [
      'was rewritten with the same size and time',
      async (path) => {
        const { size, atime, mtime } = await stat(path);
        await writeFile(path, Buffer.alloc(size));
        await utimes(path, atime, mtime);
      },
    ],
    ['was made readable for others', (path) => chmod(path, 0o644)],
  ])('rejects a file that %s', async (_, change) => {
    const { artifacts, artifactRef, path } = await fetched();
    await change(path);
    expect(await codeOf(() => artifacts.open('ann', artifactRef))).toBe('artifact_invalid');
  });

  test('removes copies after a day', async () => {
    const { artifacts, stateFolder, clock } = await fetched();
    await artifacts.sweep();
    expect(await readdir(join(stateFolder, 'artifacts'))).toHaveLength(1);
    clock.now += DAY_MS;
    await artifacts.sweep();
    expect(await readdir(join(stateFolder, 'artifacts'))).toEqual([]);
  });
});
