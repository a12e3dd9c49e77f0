/** `footbridge sync`: writes skills into the folders that hosts read themselves, and removes them again. */
import type { Catalog } from '../../catalog/catalog.js';
import { allSyncRecords, readSyncRecord, type SyncedSkill } from '../../sources/skills/synced.js';
import { claimPrivateFolder } from '../../state/index.js';
import type { HostViews } from '../../surfaces/hosts/view.js';
import { consent, refusalFields } from '../asking.js';
import { findConfig } from '../config/index.js';
import { withoutLinks } from '../folders.js';
import { hostViews } from '../host-views.js';
import type { Io } from '../io.js';
import { type CommonOptions, openCatalog } from '../options.js';
import { withProgress } from '../progress.js';
import { aloneIn, applyChanges, type SyncOutcome, type SyncPlace } from './apply.js';
import { planRemoval, planWrites, type SyncChange } from './plan.js';
import { syncRecords } from './records-folder.js';
import { namedSkills, readElsewhere, withFiles } from './select.js';
import { type FolderPlan, isOpen, jsonOf, printOutcomes, printPlans } from './shown.js';
import { refuseHome, type SyncScope, type SyncTarget, syncFolder, syncTargets } from './targets.js';

interface SyncOptions extends CommonOptions {
  /** Default: the installed hosts; with `remove`, all. */
  readonly to?: readonly string[];
  /** Default: all. */
  readonly skill?: readonly string[];
  readonly remove?: boolean;
  readonly global?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Returns the exit code. Throws for invalid options. */
export async function sync(options: SyncOptions, io: Io): Promise<number> {
  const scope = options.global === true ? 'global' : 'project';
  refuseHome(scope, io);
  if (options.remove === true) return carryOut(await removalPlans(scope, options, io), options, io);
  const { catalog, complete, config, end } = await openCatalog(options, { watch: false, fresh: true }, io);
  try {
    await complete();
    const { hosts } = hostViews(config, options, io);
    return await carryOut(await writePlans(scope, options, catalog, hosts, io), options, io);
  } finally {
    await end();
  }
}

async function writePlans(
  scope: SyncScope,
  options: SyncOptions,
  catalog: Catalog,
  hosts: HostViews,
  io: Io,
): Promise<readonly FolderPlan[]> {
  const { skill: names = [], to = [] } = options;
  const targets = await syncTargets(to, scope, hosts, io);
  const { outages, unreadable } = catalog.snapshot;
  const skills = await namedSkills(catalog, names);
  const selected = await withProgress('reading skills…', (show) => withFiles(skills, show), io);
  const served = new Set(skills.map(({ name }) => name));
  return targets.map((target) => {
    const place = placeOf(target, io);
    const isThere = readElsewhere(target, place.folder, io);
    const writes = planWrites(
      place,
      selected.filter(({ skill }) => !isThere(skill)),
    );
    // If a server does not answer, a missing skill may still exist.
    const isGone = ({ name, project }: SyncedSkill) =>
      names.length + outages.length + unreadable.length === 0 && project === place.project && !served.has(name);
    const changes = [...writes, ...planRemoval(place, isGone, 'It is no longer served.')];
    return { place, hosts: target.hosts.map(({ host }) => host), changes };
  });
}

function placeOf({ folder, scope }: Pick<SyncTarget, 'folder' | 'scope'>, io: Io): SyncPlace {
  const real = syncFolder(folder, scope, io);
  return { folder: real, record: readSyncRecord(syncRecords(io), real), scope, project: withoutLinks(io.cwd) };
}

/** Needs neither the sources nor the hosts, since written files are recorded. */
async function removalPlans(
  scope: SyncScope,
  { config, hostProfile, skill: names = [], to = [] }: SyncOptions,
  io: Io,
): Promise<readonly FolderPlan[]> {
  const project = withoutLinks(io.cwd);
  const ours = allSyncRecords(syncRecords(io)).filter(
    (record) => record.scope === scope && (scope === 'global' || record.project === project),
  );
  const isMeant =
    to.length === 0 ? () => true : await readBy(to, scope, hostViews(await findConfig(config, io), { hostProfile }, io).hosts, io);
  const records = ours.filter(({ folder }) => isMeant(folder));
  const unknown = names.find((name) => !records.some(({ skills }) => skills.some((skill) => skill.name === name)));
  if (unknown !== undefined)
    throw new Error(`Skill "${unknown}" was not written by sync here.${scope === 'project' ? ' For your home folder, use --global.' : ''}`);
  return records.map(({ folder }) => {
    const place = placeOf({ folder, scope }, io);
    const isRemoved = ({ name }: SyncedSkill) => names.length === 0 || names.includes(name);
    return { place, hosts: [], changes: planRemoval(place, isRemoved, '') };
  });
}

/** Whether one of the named hosts reads a folder. */
async function readBy(names: readonly string[], scope: SyncScope, hosts: HostViews, io: Io): Promise<(folder: string) => boolean> {
  const targets = await syncTargets(names, scope, hosts, io);
  const folders = new Set(targets.flatMap(({ readable }) => readable.map(withoutLinks)));
  return (folder) => folders.has(folder);
}

async function carryOut(plans: readonly FolderPlan[], options: SyncOptions, io: Io): Promise<number> {
  const { json: isJson = false, remove: isRemoval = false } = options;
  if (!isJson) printPlans(plans, isRemoval, io);
  const isWaiting = plans.some(({ changes }) => changes.some(isOpen));
  const answer = isWaiting && options.dryRun !== true ? await consent('Write these changes?', options, io) : undefined;
  const outcomes = answer?.given === true ? await applyAll(plans, io) : new Map<SyncChange, SyncOutcome>();
  const written = [...outcomes.values()].some(({ ok }) => ok);
  if (isJson) io.printJson({ folders: plans.map((plan) => jsonOf(plan, outcomes)), written, ...refusalFields(answer) });
  else printOutcomes(outcomes, io);
  const isRefused = answer?.given === false || plans.some(({ changes }) => changes.some(({ action }) => action === 'refused'));
  return isRefused || [...outcomes.values()].some(({ ok }) => !ok) ? 1 : 0;
}

async function applyAll(plans: readonly FolderPlan[], io: Io): Promise<ReadonlyMap<SyncChange, SyncOutcome>> {
  const records = syncRecords(io);
  await claimPrivateFolder(records, 'XDG_STATE_HOME sets another state folder.');
  const all = new Map<SyncChange, SyncOutcome>();
  for (const { changes, place } of plans) {
    const open = changes.filter(isOpen);
    if (open.length === 0) continue;
    for (const [change, outcome] of await aloneIn(records, place.folder, () => applyChanges(place, open, records)))
      all.set(change, outcome);
  }
  return all;
}
