/** The source `skills`: folders on this machine. */
import { type Log, silentLog } from '../../log.js';
import { atOnce, inTurns, Turns } from '../../turns.js';
import type { InternalContribution, InternalSource, Notice } from '../source.js';
import { type SkillRootOptions, skillRoots } from './folders.js';
import { indexFile } from './index-file.js';
import { Scan } from './scan.js';
import type { ScanOutput } from './scan-types.js';
import { type Forest, stepsToGather, unreadableIn } from './tree.js';
import { FolderWatcher } from './watch.js';

export interface SkillFoldersOptions extends SkillRootOptions {
  /** Whether changes are detected after the start. Default true. */
  readonly watch?: boolean;
  /** Where the index of the last run is cached. Default: nowhere. */
  readonly cacheFolder?: string;
  readonly log?: Log;
  /** Called during the first scan with the number of folders read, and with undefined at its end. Must be quick. */
  readonly scanned?: (folders: number | undefined) => void;
  /** Called during the first scan with about how many skills there are at least, and at its end with how many. Must be quick. */
  readonly counting?: (skills: number) => void;
  readonly counted?: (skills: number) => void;
}

/** How often everything is rescanned, regardless of the watcher. */
const RESCAN_MS = 30_000;
/** Debounces changes: a burst makes one scan. */
const SETTLE_MS = 50;
/** How long a scan runs before other tasks get their turn. */
const SLICE_MS = 3;
/** Of the first scan: a message is answered in between. */
const FIRST_SLICE_MS = 6;
/** How many cached skills and folders are checked before the first answer. */
const CHECKED_FIRST = 256;
/** Watching starts after this, so that it does not delay the first answers. */
const WATCH_MS = 250;
/** The index is written after this, so that it does not delay the first answers. */
const SAVE_MS = 1000;
/** After a change: an index that is a little out of date costs the next start nothing but to read what changed. */
const SAVE_AGAIN_MS = 10_000;

const SETTLED = Promise.resolve();

type FolderContribution = Required<Pick<InternalContribution, 'skills' | 'notices'>> & Pick<InternalContribution, 'settle' | 'unreadable'>;

/** Skills in the standard folders and in those named, watched. */
export function skillFolders(options: SkillFoldersOptions = {}): InternalSource {
  const roots = skillRoots(options);
  const log = options.log ?? silentLog;
  const index = options.cacheFolder === undefined ? undefined : indexFile(options.cacheFolder, roots);
  const watcher = new FolderWatcher(
    (folder) => (folder === undefined ? scheduleFullRefresh() : scheduleRefresh([folder])),
    () =>
      log.warn(
        `The system's limit of watched folders is reached; changes in the others are detected within ${RESCAN_MS / 1000} s. Raise fs.inotify.max_user_watches.`,
      ),
  );
  let forest: Forest = new Map();
  let watched: Forest | undefined;
  /** Folders in which something changed since the last scan, and whether the next one looks at all of them. */
  let touched = new Set<string>();
  let everything = true;
  let current: FolderContribution = { skills: [], notices: [] };
  let announce: (next: FolderContribution) => void = () => {};
  let running: Promise<void> | undefined;
  /** Whether it looks at all folders. */
  let isFull = false;
  let settling: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let interval: NodeJS.Timeout | undefined;
  let saving: NodeJS.Timeout | undefined;
  let saved = false;
  let isGathered = false;
  let closed = false;

  const save = async () => {
    clearTimeout(saving);
    saving = undefined;
    saved = true;
    await index?.saveInTurns(forest);
  };

  const scan = async (sliceMs: number, checked?: number, scanned?: SkillFoldersOptions['scanned']) => {
    const changed = everything ? undefined : touched;
    [everything, touched] = [false, new Set()];
    const input = { roots, previous: forest, now: Date.now(), changed };
    const output = await run(new Scan(checked === undefined ? input : { ...input, checked }), sliceMs, scanned).catch((cause: unknown) => {
      everything = true;
      throw cause;
    });
    const { notices: before } = current;
    const isSame = isSameForest(forest, output.forest);
    if (!isSame) forest = output.forest;
    if (output.reads > 0 && index !== undefined) saving ??= setTimeout(() => void save(), saved ? SAVE_AGAIN_MS : SAVE_MS).unref();
    if (isSame && output.notices.length === 0 && current.settle === undefined && isGathered) return false;
    isGathered = true;
    const next = await contribution(
      roots.map((root) => root.path),
      output,
    );
    const isChecked = output.unchecked === 0 && (changed === undefined || current.settle === undefined);
    if (!isChecked) current = { ...next, settle };
    else if (!(await inTurns(stepsToCompare(current, next)))) current = next;
    else if (current.settle === undefined) return false;
    // The same skills, which are known to hold from now on.
    else current = { ...next, skills: current.skills };
    logNewNotices(before, next.notices, log);
    return true;
  };

  const settle = () => {
    if (current.settle === undefined) return SETTLED;
    // Whatever looks at all folders since the start will do.
    if (!isFull) everything = true;
    settling ??= (isFull && running !== undefined ? running : refresh()).catch(rescanFailed);
    return settling;
  };

  const rescanFailed = (cause: unknown) => log.error(`A rescan failed; the last state is served: ${String(cause)}`);

  const watchFolders = () => {
    if (closed || options.watch === false) return;
    const missing = roots.map((root) => root.path).filter((path) => !forest.has(path));
    // Folders without skills are watched too: empty ones, and parents of missing ones.
    if (watched === forest && missing.length === 0 && !watcher.incomplete) return;
    watched = forest;
    watcher.watch({ forest, missing }).then(
      // One more scan detects changes between the scan that found a folder and the start of watching it.
      (added) => {
        if (added === undefined) scheduleFullRefresh();
        else if (added.length > 0) scheduleRefresh(added);
      },
      (cause: unknown) => log.debug(`watching failed: ${String(cause)}`),
    );
  };

  const firstScanned = (folders: number | undefined) => {
    if (folders !== undefined) options.counting?.(folders);
    options.scanned?.(folders);
  };

  const refreshNow = async () => {
    const changed = await scan(SLICE_MS);
    // What follows a change takes a turn of its own.
    if (changed) await new Turns().next();
    if (closed) return;
    if (changed) announce(current);
    // After the calls that waited for the scan.
    setTimeout(watchFolders, SETTLE_MS).unref();
  };

  // A refresh requested during another starts after it, since the running one may have missed the change.
  const refresh = (): Promise<void> => {
    if (running === undefined) {
      isFull = everything;
      running = refreshNow().finally(() => {
        running = undefined;
        isFull = false;
      });
      return running;
    }
    again ??= running
      .catch(() => {})
      .then(() => {
        again = undefined;
        return refresh();
      });
    return again;
  };

  const scheduleRefresh = (folders: readonly string[]) => {
    if (closed) return;
    for (const folder of folders) touched.add(folder);
    timer ??= setTimeout(() => {
      timer = undefined;
      refresh().catch(rescanFailed);
    }, SETTLE_MS).unref();
  };

  const scheduleFullRefresh = () => {
    everything = true;
    scheduleRefresh([]);
  };

  return {
    name: 'skills',
    async open(changed) {
      announce = changed;
      forest = (await index?.load(options.counting)) ?? forest;
      await scan(FIRST_SLICE_MS, CHECKED_FIRST, firstScanned);
      options.counted?.(current.skills.length);
      if (current.settle !== undefined) setTimeout(scheduleFullRefresh, WATCH_MS).unref();
      if (options.watch !== false) {
        interval = setInterval(scheduleFullRefresh, RESCAN_MS).unref();
        setTimeout(watchFolders, WATCH_MS).unref();
      }
      return current;
    },
    refresh() {
      everything = true;
      return refresh();
    },
    close() {
      closed = true;
      if (saving !== undefined) index?.save(forest);
      clearTimeout(timer);
      clearInterval(interval);
      watcher.close();
    },
  };
}

async function run(scan: Scan, sliceMs: number, scanned: SkillFoldersOptions['scanned']): Promise<ScanOutput> {
  const steps = scan.steps();
  const turns = new Turns('background', sliceMs);
  for (let step = steps.next(); ; step = steps.next()) {
    scanned?.(step.done === true ? undefined : scan.reads);
    if (step.done === true) return step.value;
    if (step.value === 'yaml') scan.provideYaml(await import('yaml'));
    else if (turns.isOver) await turns.next();
  }
}

async function contribution(order: readonly string[], output: ScanOutput): Promise<FolderContribution> {
  const trees = order.flatMap((path) => output.forest.get(path) ?? []);
  const { skills, notices } = await inTurns(stepsToGather(trees));
  const unreadable = notices.length === 0 ? [] : trees.flatMap(unreadableIn);
  return { skills, notices: [...output.notices, ...notices], ...(unreadable.length === 0 ? {} : { unreadable }) };
}

/** Compares skills and notices. */
export function isSameContribution(one: FolderContribution, other: FolderContribution): boolean {
  return atOnce(stepsToCompare(one, other));
}

/** Skills between two steps. */
const STRIDE = 4096;

function* stepsToCompare(one: FolderContribution, other: FolderContribution): Generator<void, boolean> {
  if (one.skills.length !== other.skills.length) return false;
  for (let at = 0; at < one.skills.length; at++) {
    if (at % STRIDE === STRIDE - 1) yield;
    if (one.skills[at] !== other.skills[at]) return false;
  }
  return (
    JSON.stringify(one.notices) === JSON.stringify(other.notices) && JSON.stringify(one.unreadable) === JSON.stringify(other.unreadable)
  );
}

/** A scan returns the same nodes where nothing changed. */
function isSameForest(one: Forest, other: Forest): boolean {
  return one.size === other.size && [...other].every(([path, node]) => one.get(path) === node);
}

/** Logs each notice once, when it first appears. */
function logNewNotices(before: readonly Notice[], after: readonly Notice[], log: Log): void {
  const known = new Set(before.map((notice) => JSON.stringify(notice)));
  for (const notice of after) {
    if (known.has(JSON.stringify(notice))) continue;
    // What is there and cannot be read is nothing that its author can mend.
    if (notice.rule === 'unreadable') log.error(formatNotice(notice));
    else log.warn(formatNotice(notice));
  }
}

/** A notice on one line, as logs show it. */
export function formatNotice(notice: Notice): string {
  const place = notice.line === undefined ? notice.file : `${notice.file}:${notice.line}`;
  return `${place}: ${notice.message}${notice.skipped === true ? ' Skipped.' : ''} ${notice.action}`;
}
