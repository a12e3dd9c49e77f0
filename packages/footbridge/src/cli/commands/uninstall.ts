/** `footbridge uninstall`: the configuration of MCP hosts as it was before `footbridge install`. */
import { existsSync } from 'node:fs';
import { allHosts, type HostPlace, readHostFile } from '../hosts/index.js';
import { type CarryOutOptions, carryOut } from '../install/carry-out.js';
import { type FileChange, groupedByFile } from '../install/change.js';
import { planUninstall } from '../install/plan-uninstall.js';
import { readRecord, recordFile, removeRecord } from '../install/record.js';
import { presentHosts, type TargetOptions, targetsOf } from '../install/targets.js';
import { writeUninstall } from '../install/write.js';
import type { Io } from '../io.js';
import type { CommonOptions } from '../options.js';

export interface UninstallOptions extends CommonOptions, CarryOutOptions, TargetOptions {}

/** Resolves with the exit code. Throws, with what to do, for options that are wrong. */
export async function uninstall(options: UninstallOptions, io: Io): Promise<number> {
  const { places } = await targetsOf(options, io.cwd, allHosts);
  const present = new Set((await presentHosts(io.cwd, options.global === true)).map(({ id }) => id));
  const changes: FileChange[] = [];
  for (const group of await groupedByFile(places)) {
    const isRecorded = existsSync(recordFile(group.real, io));
    // The hosts that are not here have the file in common with those that are.
    const here = group.places.filter(({ host }) => present.has(host.id));
    const [first, ...others] = here.length > 0 ? here : group.places;
    if (first === undefined || !(isRecorded || (here.length > 0 && (await hasOurs(first))))) continue;
    changes.push(await planUninstall([first, ...others], group.real, io));
  }
  if (options.dryRun !== true) await forget(changes, io);
  if (changes.length > 0) return carryOut(changes, options, { notes: [], done: [] }, (change) => writeUninstall(change, io), io);
  if (options.json === true) io.printJson({ changes: [], written: false });
  else
    io.print(
      `These configurations contain nothing from Footbridge.${options.global === true ? '' : ' For your global configuration, use --global.'}`,
    );
  return 0;
}

/** A file that cannot be read is said to be so only where it is known to be ours. */
async function hasOurs(place: HostPlace): Promise<boolean> {
  const file = await readHostFile(place);
  return file.ok && file.entries.some(({ isFootbridge }) => isFootbridge);
}

/** What was kept of files that no longer hold anything of ours. Of one that is gone it is all that is left, so it stays. */
async function forget(changes: readonly FileChange[], io: Io): Promise<void> {
  for (const { action, before, real } of changes) {
    const isAllThatIsLeft = before === undefined && (await readRecord(real, io))?.existed === true;
    if (action === 'none' && !isAllThatIsLeft) await removeRecord(real, io);
  }
}
