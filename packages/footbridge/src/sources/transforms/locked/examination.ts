/** The state of each skill under the current lock. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../../errors.js';
import { qualifiedName } from '../../skill-uri.js';
import type { Notice, Skill } from '../../source.js';
import { digestsOf, encodedPath, type LockedSkill, type Locks, type SkillLock } from './lock.js';
import { lockedSkill } from './locked-skill.js';

/** How long after a failed check an upstream is checked again. */
const RETRY_MS = 15_000;

/** The state of one skill under one lock. */
interface Known {
  readonly lock: SkillLock;
  readonly claim: Claim;
  /** The skill as it is served unless a check fails; always the same object, so that an unchanged skill stays unchanged. */
  served: Skill | undefined;
  last: Examined | undefined;
  running: Promise<LockCheck> | undefined;
}

/** The last check of the files. */
interface Examined {
  readonly outcome: LockCheck;
  readonly places: readonly string[];
  readonly signature: string;
  readonly at: number;
}

export class Examination {
  readonly #known = new WeakMap<Skill, Known>();
  readonly #locks: Locks;
  readonly #onChange: () => void;

  /** `onChange` is called when a skill that is served turns out to differ from the lock. */
  constructor(locks: Locks, onChange: () => void) {
    this.#locks = locks;
    this.#onChange = onChange;
  }

  /**
   * The skill as it may be served; undefined when it may not. An unchecked skill is listed when its name and description are
   * as locked: its files are checked before any of them is read.
   */
  served(skill: Skill): Skill | undefined {
    const { claim, last, served } = this.#of(skill);
    if (claim.kind === 'locked' && last === undefined && claim.locked.description !== skill.description) return undefined;
    return last === undefined || last.outcome.kind === 'good' ? served : undefined;
  }

  /** Why a skill is withheld, once that is known. */
  notice(skill: Skill): Notice | undefined {
    const { claim, last } = this.#of(skill);
    if (claim.kind === 'refused') return claim.notice;
    return last === undefined || last.outcome.kind === 'good' ? undefined : last.outcome.notice;
  }

  /** Whether its files have not been checked yet. */
  isOpen(skill: Skill): boolean {
    const { claim, last } = this.#of(skill);
    return claim.kind === 'locked' && last === undefined;
  }

  /** Whether its files may have changed since the last check, or could not be checked then. */
  isDue(skill: Skill): boolean {
    const { last } = this.#of(skill);
    if (last === undefined) return false;
    const { at, places, signature, outcome } = last;
    if (skill.directory === undefined) return outcome.kind === 'failed' && Date.now() - at > RETRY_MS;
    return outcome.kind !== 'good' || signatureOf(places) !== signature;
  }

  /** Checks the files of a skill that is in the lock. */
  async examine(skill: Skill): Promise<void> {
    const known = this.#of(skill);
    if (known.claim.kind === 'locked') await this.#examine(skill, known, known.claim.locked);
  }

  #of(skill: Skill): Known {
    const lock = this.#locks.current;
    const before = this.#known.get(skill);
    if (before?.lock === lock) return before;
    const claim = claimOf(skill, lock);
    const known: Known = { lock, claim, served: claim.kind === 'exempt' ? skill : undefined, last: undefined, running: undefined };
    if (claim.kind === 'locked') known.served = this.#guarded(skill, known, claim.locked);
    this.#known.set(skill, known);
    return known;
  }

  #guarded(skill: Skill, known: Known, locked: LockedSkill): Skill {
    return lockedSkill(skill, locked.files, {
      ready: async () => {
        if (known.last !== undefined) return undefined;
        const outcome = await this.#examine(skill, known, locked);
        if (outcome.kind === 'good') return undefined;
        this.#onChange();
        return outcome.notice;
      },
      drifted: () => {
        if (known.last?.outcome.kind === 'good') void this.#examine(skill, known, locked).then(this.#onChange);
      },
    });
  }

  #examine(skill: Skill, known: Known, locked: LockedSkill): Promise<LockCheck> {
    known.running ??= this.#check(skill, known, locked).finally(() => {
      known.running = undefined;
    });
    return known.running;
  }

  async #check(skill: Skill, known: Known, locked: LockedSkill): Promise<LockCheck> {
    const paths = [...locked.files.values()].map(({ path }) => path);
    const places = skill.directory === undefined ? [] : placesOf(skill.directory, paths);
    // Recorded first, so that the next check detects a change while the files are read.
    const signature = signatureOf(places);
    const outcome = await check(skill, locked);
    known.last = { outcome, places, signature, at: Date.now() };
    return outcome;
  }
}

/** The files and all folders around them, up to `folder`. */
function placesOf(folder: string, paths: readonly string[]): readonly string[] {
  const places = new Set([folder]);
  for (const path of paths) for (let place = path; place !== '.'; place = dirname(place)) places.add(join(folder, place));
  return [...places];
}

/** Differs whenever one of the files or folders may have changed, by their times alone. */
function signatureOf(places: readonly string[]): string {
  return places.map(stampText).join(' ');
}

function stampText(place: string): string {
  try {
    const stats = statSync(place, { throwIfNoEntry: false });
    return stats === undefined ? '-' : `${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.ino}`;
  } catch {
    return '!';
  }
}

/** The entry of a skill in the lock, before its files are read. */
type Claim =
  | { readonly kind: 'exempt' }
  /** Only another lock can change that. */
  | { readonly kind: 'refused'; readonly notice: Notice }
  | { readonly kind: 'locked'; readonly locked: LockedSkill };

/** The result of comparing a skill's files with the lock. */
type LockCheck =
  | { readonly kind: 'good' }
  | { readonly kind: 'differs'; readonly notice: Notice }
  /** The files could not be read, which may be temporary. */
  | { readonly kind: 'failed'; readonly notice: Notice };

function claimOf(skill: Skill, lock: SkillLock): Claim {
  const entry = lock.of(skill);
  if (entry.state === 'exempt') return { kind: 'exempt' };
  if (entry.state === 'unknown') return { kind: 'refused', notice: withheld(skill, 'it is not in footbridge.lock') };
  if (entry.state === 'locked') return { kind: 'locked', locked: entry };
  const reason = `it comes from ${entry.origin}, but footbridge.lock has it from ${entry.locked}`;
  return { kind: 'refused', notice: withheld(skill, reason) };
}

/** Compares every file and the description. Never rejects. */
async function check(skill: Skill, locked: LockedSkill): Promise<LockCheck> {
  try {
    return await compare(skill, locked);
  } catch (cause) {
    return { kind: 'failed', notice: withheld(skill, `it could not be checked: ${reasonOf(cause)}`) };
  }
}

async function compare(skill: Skill, { description, files }: LockedSkill): Promise<LockCheck> {
  const missing = new Map(files);
  const wrong: { readonly path: string; readonly what: string }[] = [];
  for (const { path, size, digest } of await digestsOf(skill)) {
    const known = files.get(encodedPath(path));
    missing.delete(encodedPath(path));
    if (known === undefined) wrong.push({ path, what: 'is not in footbridge.lock' });
    else if (known.digest !== digest || known.size !== size) wrong.push({ path, what: 'differs from footbridge.lock' });
  }
  for (const { path } of missing.values()) wrong.push({ path, what: 'is in footbridge.lock but missing' });
  const [first] = wrong;
  if (first !== undefined) {
    const more = wrong.length === 1 ? '' : `, and ${wrong.length - 1} more of its files`;
    return differs(skill, `${first.path} ${first.what}${more}`, first.path);
  }
  // A scan may have read a file between two edits, and a server may list a description that is in no file.
  if (skill.description !== description) return differs(skill, 'its description differs from footbridge.lock');
  return { kind: 'good' };
}

function differs(skill: Skill, reason: string, path?: string): LockCheck {
  return { kind: 'differs', notice: withheld(skill, reason, path) };
}

function withheld(skill: Skill, reason: string, path?: string): Notice {
  const { directory, origin } = skill;
  const name = qualifiedName(skill);
  return {
    severity: 'error',
    rule: 'locked',
    file: directory === undefined ? `${origin}: ${name}` : `${directory}${path === undefined ? '' : `/${path}`}`,
    message: `The skill "${name}" is withheld: ${reason}.`.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '),
    action: 'Review the change, then run `footbridge lock`.',
    skipped: true,
  };
}
