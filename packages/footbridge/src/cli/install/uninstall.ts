/** `footbridge uninstall`: removes Footbridge from the configuration of MCP hosts. */
import { existsSync } from 'node:fs';
import { allHosts, type HostPlace, readHostFile } from '../hosts/index.js';
import type { Io } from '../io.js';
import { type ShowProgress, withProgress } from '../progress.js';
import { type CarryOutOptions, carryOut } from './carry-out.js';
import { type FileChange, groupedByFile } from './change.js';
import { isTeamEntry } from './plan-install.js';
import { planUninstall } from './plan-uninstall.js';
import { readRecord, recordFile, removeRecord } from './record.js';
import { presentHosts, type TargetOptions, targetsOf } from './targets.js';
import { writeUninstall } from './write.js';

/** Returns the exit code. Throws for invalid options. */
export async function uninstall(options: CarryOutOptions & TargetOptions, io: Io): Promise<number> {
  const changes = await withProgress('looking for hosts…', (show) => plannedChanges(options, show, io), io);
  if (options.dryRun !== true) await forget(changes, io);
  if (changes.length > 0) return carryOut(changes, options, { notes: [], done: [] }, (change) => writeUninstall(change, io), io);
  if (options.json === true) io.printJson({ changes: [], written: false });
  else
    io.print(
      `These configurations contain nothing from Footbridge.${options.global === true ? '' : ' For your global configuration, use --global.'}`,
    );
  return 0;
}

async function plannedChanges(options: TargetOptions, show: ShowProgress, io: Io): Promise<readonly FileChange[]> {
  const { places } = await targetsOf(options, io.cwd, allHosts);
  const present = new Set((await presentHosts(io.cwd, options.global === true)).map(({ id }) => id));
  const changes: FileChange[] = [];
  for (const group of await groupedByFile(places)) {
    show(`looking at ${group.places[0].host.title}…`);
    const isRecorded = existsSync(recordFile(group.real, io));
    // Hosts that are not installed may share the file with installed ones.
    const here = group.places.filter(({ host }) => present.has(host.id));
    const [first, ...others] = here.length > 0 ? here : group.places;
    if (first === undefined || !(isRecorded || (here.length > 0 && (await hasOurs(first))))) continue;
    changes.push(await planUninstall([first, ...others], group.real, io));
  }
  return changes;
}

/** An unreadable file is reported only if a record shows that it is ours. */
async function hasOurs(place: HostPlace): Promise<boolean> {
  const file = await readHostFile(place);
  return file.ok && file.entries.some((entry) => entry.isFootbridge || isTeamEntry(entry));
}

/** Removes records of files without our entries. The record of a deleted file is its only copy, and stays. */
async function forget(changes: readonly FileChange[], io: Io): Promise<void> {
  for (const { action, before, real } of changes) {
    const isAllThatIsLeft = before === undefined && (await readRecord(real, io))?.existed === true;
    if (action === 'none' && !isAllThatIsLeft) await removeRecord(real, io);
  }
}
