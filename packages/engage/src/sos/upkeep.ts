/** What jobs leave behind: by a server that was ended in the middle, and by time. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { serverRestarted } from './job-failures.js';
import { ARCHIVE_LIFE_MS, failed, type Job, type JobRecords, removeFolder } from './job-records.js';
import { viewOf } from './place.js';
import { endAll, isAlive, startedWith } from './processes.js';

/**
 * Whether a job goes on. One whose process is gone is ended on the spot, with what still runs of its sos: it could not
 * be found any more by anyone who asks. One that cannot be seen from here goes on until its time is over.
 */
export async function isUnderWay(records: JobRecords, job: Job, now: () => number): Promise<boolean> {
  if ((await records.ends.get(job.id)) !== undefined) return false;
  const view = await viewOf(job.place);
  if (view === 'hidden' ? now() < job.endsBy : view === 'visible' && (await isAlive(job.runner))) return true;
  // It may have ended the job as the last thing it did, or by now someone else found it.
  if ((await records.ends.get(job.id)) !== undefined) return false;
  const folder = records.folderOf(job.id);
  if (view === 'visible') for (const sos of job.sos === undefined ? await startedWith(folder) : [job.sos]) await endAll(sos);
  if (await records.ends.create(job.id, failed(serverRestarted(), now()))) await removeFolder(folder);
  return false;
}

/** Forgets jobs that ended long ago, with their archives, and folders that nobody knows any more. */
export async function sweepJobs(records: JobRecords, now: number): Promise<void> {
  const isOld = (time: number) => time + ARCHIVE_LIFE_MS <= now;
  const ends = await records.ends.all();
  for (const [id, end] of ends) {
    const hasArchive = end.status === 'completed' && !isOld(end.finishedAt);
    // Whoever ended it may have been killed before its folder was gone.
    if (hasArchive || !(await removeFolder(records.folderOf(id))) || !isOld(end.finishedAt)) continue;
    // The end goes last: without it the job would be taken for one that was lost.
    await records.jobs.remove(id);
    await records.ends.remove(id);
  }
  await removeUnknownFolders(records.root, async (name) => (await records.jobs.get(name)) !== undefined, isOld);
  await records.jobs.sweep(() => false);
  await records.ends.sweep(() => false);
}

/** Those a process left behind before it wrote down what they are. */
export async function removeUnknownFolders(
  root: string,
  isKnown: (name: string) => Promise<boolean>,
  isOld: (time: number) => boolean,
): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isDirectory() || (await isKnown(entry.name))) continue;
    const stats = await stat(join(root, entry.name)).catch(() => undefined);
    if (stats !== undefined && isOld(stats.mtimeMs)) await removeFolder(join(root, entry.name));
  }
}
