/** Withholds skills that differ from the lock. */
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { reasonOf } from '../../../errors.js';
import type { Log } from '../../../log.js';
import { formatNotice, isSameContribution } from '../../skills/index.js';
import type { InternalContribution, InternalSource, Skill, Source } from '../../source.js';
import { Examination } from './examination.js';
import type { Locks } from './lock.js';

interface LockOptions {
  readonly locks: Locks;
  readonly log: Log;
  /** Whether changes of files are detected. */
  readonly watch: boolean;
  /** Whether this source, of several, reports that the lock itself cannot be used. */
  readonly reportsLock: boolean;
}

/** How many skills are checked before the first answer: more than the answer can list. */
const FIRST = 256;
/** How long the first answer, and each change of the source, wait for that. */
const FIRST_TIMEOUT_MS = 1000;
/** How often files are checked for changes; less often where that takes long, so that it uses little of the CPU. */
const POLL_MS = 1000;
const PAUSE_PER_CHECK = 50;
/** Skills of upstreams that are checked at the same time. */
const SIDE_BY_SIDE = 8;

type Whole = InternalContribution & Required<Pick<InternalContribution, 'skills' | 'notices'>>;

export interface CheckedSource extends InternalSource {
  /** Resolves when all current skills have been checked. */
  checked(): Promise<void>;
}

/** Withholds each skill that differs from the lock, with a notice. */
export function lockedBy(options: LockOptions): (source: Source) => CheckedSource {
  return (source) => lockedSource(source, options);
}

// Not by `mapSource`: what is shown changes with the checks too, not only with the source.
function lockedSource(source: Source, { locks, log, watch, reportsLock }: LockOptions): CheckedSource {
  const examination = new Examination(locks, () => show());
  let latest: Whole = { skills: [], notices: [] };
  let shown: Whole | undefined;
  let isFresh = false;
  let logged: ReadonlySet<string> = new Set();
  let announce: (next: Whole) => void = () => {};
  let running: Promise<void> | undefined;
  let taken: Promise<void> | undefined;
  let stale = false;
  let enough: () => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const isOver = () => closed;
  const failed = (cause: unknown) => log.error(`Skills could not be checked against the lock: ${reasonOf(cause)}`);

  const examineOpen = async () => {
    if (locks.current.problem !== undefined) return;
    const open = latest.skills.filter((skill) => examination.isOpen(skill));
    const local = open.filter(({ directory }) => directory !== undefined);
    await inTurns(local.slice(0, FIRST), (skill) => examination.examine(skill), isOver);
    enough();
    await inTurns(local.slice(FIRST), (skill) => examination.examine(skill), isOver);
    const remote = open.filter(({ directory }) => directory === undefined).values();
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => inTurns(remote, (skill) => examination.examine(skill), isOver)));
  };

  const work = async () => {
    while (stale && !closed) {
      stale = false;
      await examineOpen();
      show();
    }
  };

  const examineAll = (): Promise<void> => {
    stale = true;
    running ??= work()
      .catch(failed)
      .finally(() => {
        running = undefined;
        enough();
      });
    return running;
  };

  const show = () => {
    if (closed || shown === undefined) return;
    const next = compose(latest);
    // The rest is unchanged until the source contributes again.
    if (!isFresh && isSameContribution(shown, next)) return;
    put(next);
    announce(next);
  };

  const put = (next: Whole) => {
    isFresh = false;
    shown = next;
    const { problem } = locks.current;
    const notices = next.notices.filter((notice) => notice.rule === 'locked' && notice !== problem).map(formatNotice);
    for (const notice of notices) if (!logged.has(notice)) log.warn(notice);
    logged = new Set(notices);
  };

  const compose = ({ settle, ...whole }: Whole): Whole => {
    const { problem } = locks.current;
    const settling = settle === undefined ? {} : { settle: () => settle().then(() => taken) };
    if (problem !== undefined) return { ...whole, skills: [], notices: [...whole.notices, ...(reportsLock ? [problem] : [])], ...settling };
    const places = new Set<string>();
    const skills: Skill[] = [];
    const notices = [...whole.notices];
    for (const skill of whole.skills) {
      const place = [...skill.group, skill.name].join('/').toLowerCase();
      const served = examination.served(skill);
      const notice = examination.notice(skill);
      if (served !== undefined) skills.push(served);
      // A skill that is shadowed anyway needs no notice.
      else if (notice !== undefined && !places.has(place)) notices.push(notice);
      places.add(place);
    }
    return { ...whole, skills, notices, ...settling };
  };

  const take = (next: InternalContribution) => {
    latest = { skills: [], notices: [], ...next };
    isFresh = true;
    taken = Promise.race([examineAll(), pause(FIRST_TIMEOUT_MS, undefined, { ref: false })]).then(show);
  };

  /** Checks skills whose files may have changed without the source reporting it. */
  const checkDue = async () => {
    if (locks.current.problem !== undefined) return;
    let found = false;
    const examineDue = (skill: Skill) => {
      if (!examination.isDue(skill)) return undefined;
      found = true;
      // It is served meanwhile: every file is checked when it is read.
      return examination.examine(skill);
    };
    await inTurns(latest.skills, examineDue, isOver);
    if (found) show();
  };

  const checkLater = (milliseconds: number) => {
    if (closed || !watch) return;
    timer = setTimeout(async () => {
      const begin = performance.now();
      await checkDue().catch(failed);
      checkLater(Math.max(POLL_MS, (performance.now() - begin) * PAUSE_PER_CHECK));
    }, milliseconds).unref();
  };

  const forget = locks.onChange(() => void examineAll());

  return {
    name: source.name,
    async open(changed, updated) {
      announce = changed;
      let isNewer = false;
      const first = await source.open((next) => {
        isNewer = true;
        take(next);
      }, updated);
      if (!isNewer) latest = { skills: [], notices: [], ...first };
      const begun = new Promise<void>((resolve) => {
        enough = resolve;
      });
      void examineAll();
      await Promise.race([begun, pause(FIRST_TIMEOUT_MS, undefined, { ref: false })]);
      checkLater(POLL_MS);
      const composed = compose(latest);
      put(composed);
      return composed;
    },
    async refresh(context) {
      await source.refresh?.(context);
      await taken;
      await checkDue();
    },
    async checked() {
      await running;
      await taken;
    },
    close() {
      closed = true;
      clearTimeout(timer);
      forget();
      source.close?.();
    },
  };
}

/** How long work runs before other tasks get their turn. */
const SLICE_MS = 6;

/** Runs `each` for one item after the other, until `isOver`. */
async function inTurns<T>(items: Iterable<T>, each: (item: T) => Promise<unknown> | undefined, isOver: () => boolean): Promise<void> {
  let end = performance.now() + SLICE_MS;
  for (const item of items) {
    if (isOver()) return;
    await each(item);
    if (performance.now() < end) continue;
    await setImmediate();
    end = performance.now() + SLICE_MS;
  }
}
