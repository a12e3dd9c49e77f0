/** A source of which only those skills are served that are as they were locked. */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { formatNotice } from '../skills/index.js';
import type { Contribution, Skill, Source } from '../source.js';
import { Examination } from './examination.js';
import type { Locks } from './lock.js';
import { inTurns } from './turns.js';

export interface LockedSourceOptions {
  readonly locks: Locks;
  readonly log: Log;
  /** Whether changes of files are looked for. */
  readonly watch: boolean;
  /** Whether this source, of several, says that the lock itself cannot be used. */
  readonly tellsOfLock: boolean;
}

/** How many skills are looked at before the first answer: more than it can name. */
const FIRST = 256;
/** How long the first answer, and news of the source, wait for that. */
const PATIENCE_MS = 1000;
/** How often files are looked at; where that takes long less often, so that it has a small part of the time. */
const POLL_MS = 1000;
const PAUSE_PER_LOOK = 50;
/** Skills of servers that are looked at at the same time. */
const SIDE_BY_SIDE = 8;

/** Withholds each skill that differs from the lock in anything, with a notice. All else is as it was. */
export function lockedSource(
  source: Source,
  { locks, log, watch, tellsOfLock }: LockedSourceOptions,
): Source & { checked(): Promise<void> } {
  const examination = new Examination(locks, () => show());
  let latest: Contribution = { skills: [], notices: [] };
  let shown: Contribution | undefined;
  let isFresh = false;
  let told: ReadonlySet<string> = new Set();
  let announce: (next: Contribution) => void = () => {};
  let running: Promise<void> | undefined;
  let taken: Promise<void> | undefined;
  let stale = false;
  let enough: () => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const isOver = () => closed;
  const failed = (cause: unknown) => log.error(`The lock could not be checked: ${reasonOf(cause)}`);

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
    if (!isFresh && isSame(shown, next)) return;
    put(next);
    announce(next);
  };

  const put = (next: Contribution) => {
    isFresh = false;
    shown = next;
    const { problem } = locks.current;
    const notices = next.notices.filter((notice) => notice.rule === 'locked' && notice !== problem).map(formatNotice);
    for (const notice of notices) if (!told.has(notice)) log.warn(notice);
    told = new Set(notices);
  };

  const compose = ({ settle, ...whole }: Contribution): Contribution => {
    const { problem } = locks.current;
    const settling = settle === undefined ? {} : { settle: () => settle().then(() => taken) };
    if (problem !== undefined) return { ...whole, skills: [], notices: [...whole.notices, ...(tellsOfLock ? [problem] : [])], ...settling };
    const places = new Set<string>();
    const skills: Skill[] = [];
    const notices = [...whole.notices];
    for (const skill of whole.skills) {
      const place = [...skill.group, skill.name].join('/').toLowerCase();
      const served = examination.served(skill);
      const notice = examination.notice(skill);
      if (served !== undefined) skills.push(served);
      // Of one that is not served anyway, since another has its place, there is nothing to say.
      else if (notice !== undefined && !places.has(place)) notices.push(notice);
      places.add(place);
    }
    return { ...whole, skills, notices, ...settling };
  };

  const take = (next: Contribution) => {
    latest = next;
    isFresh = true;
    taken = Promise.race([examineAll(), pause(PATIENCE_MS, undefined, { ref: false })]).then(show);
  };

  /** Looks at what may have changed without the source telling. */
  const look = async () => {
    if (locks.current.problem !== undefined) return;
    let found = false;
    const examineDue = (skill: Skill) => {
      if (!examination.isDue(skill)) return undefined;
      found = true;
      // A skill that is served stays so meanwhile: what is read of it is checked anyway.
      return examination.examine(skill);
    };
    await inTurns(latest.skills, examineDue, isOver);
    if (found) show();
  };

  const lookLater = (milliseconds: number) => {
    if (closed || !watch) return;
    timer = setTimeout(async () => {
      const begin = performance.now();
      await look().catch(failed);
      lookLater(Math.max(POLL_MS, (performance.now() - begin) * PAUSE_PER_LOOK));
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
      if (!isNewer) latest = first;
      const begun = new Promise<void>((resolve) => {
        enough = resolve;
      });
      void examineAll();
      await Promise.race([begun, pause(PATIENCE_MS, undefined, { ref: false })]);
      lookLater(POLL_MS);
      const composed = compose(latest);
      put(composed);
      return composed;
    },
    async refresh(context) {
      await source.refresh(context);
      await taken;
      await look();
    },
    async checked() {
      await running;
      await taken;
    },
    close() {
      closed = true;
      clearTimeout(timer);
      forget();
      source.close();
    },
  };
}

/** What else the source has is the same as long as it said nothing new. */
function isSame(one: Contribution, other: Contribution): boolean {
  return (
    one.skills.length === other.skills.length &&
    one.skills.every((skill, index) => skill === other.skills[index]) &&
    JSON.stringify(one.notices) === JSON.stringify(other.notices)
  );
}
