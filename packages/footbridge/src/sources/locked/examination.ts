/** What is known of each skill by the lock of the moment, and finding it out. */
import type { Notice, Skill } from '../source.js';
import { type Claim, check, claimOf, type Verdict } from './check.js';
import type { LockedSkill, Locks, SkillLock } from './lock.js';
import { lockedSkill } from './locked-skill.js';
import { placesOf, signatureOf } from './signature.js';

/** When a server is asked again for a skill that could not be checked. */
const RETRY_MS = 15_000;

/** What is known of one skill by one lock. */
interface Known {
  readonly lock: SkillLock;
  readonly claim: Claim;
  /** As it is served as long as nothing speaks against it; always the same object, so that who holds it need not look again. */
  served: Skill | undefined;
  look: Look | undefined;
  looking: Promise<Verdict> | undefined;
}

/** One look at the files. */
interface Look {
  readonly verdict: Verdict;
  readonly places: readonly string[];
  readonly signature: string;
  readonly at: number;
}

export class Examination {
  readonly #known = new WeakMap<Skill, Known>();
  readonly #locks: Locks;
  readonly #found: () => void;

  /** `found` is called when something else was found out of a skill that is served than what was known. */
  constructor(locks: Locks, found: () => void) {
    this.#locks = locks;
    this.#found = found;
  }

  /**
   * The skill as it may be served; undefined while it may not. One that nobody has looked at yet is there when its name and
   * description are what was locked: it is looked at before it gives anything else.
   */
  served(skill: Skill): Skill | undefined {
    const { claim, look, served } = this.#of(skill);
    if (claim.kind === 'locked' && look === undefined && claim.locked.description !== skill.description) return undefined;
    return look === undefined || look.verdict.kind === 'good' ? served : undefined;
  }

  /** Why it is withheld, once that is known. */
  notice(skill: Skill): Notice | undefined {
    const { claim, look } = this.#of(skill);
    if (claim.kind === 'refused') return claim.notice;
    return look === undefined || look.verdict.kind === 'good' ? undefined : look.verdict.notice;
  }

  /** Whether its files are still to be looked at. */
  isOpen(skill: Skill): boolean {
    const { claim, look } = this.#of(skill);
    return claim.kind === 'locked' && look === undefined;
  }

  /** Whether its files may be others than when they were looked at, or could not be looked at then. */
  isDue(skill: Skill): boolean {
    const { look } = this.#of(skill);
    if (look === undefined) return false;
    const { at, places, signature, verdict } = look;
    if (skill.directory === undefined) return verdict.kind === 'failed' && Date.now() - at > RETRY_MS;
    return verdict.kind !== 'good' || signatureOf(places) !== signature;
  }

  /** Looks at the files of a skill that has a place in the lock. */
  async examine(skill: Skill): Promise<void> {
    const known = this.#of(skill);
    if (known.claim.kind === 'locked') await this.#examine(skill, known, known.claim.locked);
  }

  #of(skill: Skill): Known {
    const lock = this.#locks.current;
    const before = this.#known.get(skill);
    if (before?.lock === lock) return before;
    const claim = claimOf(skill, lock);
    const known: Known = { lock, claim, served: claim.kind === 'exempt' ? skill : undefined, look: undefined, looking: undefined };
    if (claim.kind === 'locked') known.served = this.#guarded(skill, known, claim.locked);
    this.#known.set(skill, known);
    return known;
  }

  #guarded(skill: Skill, known: Known, locked: LockedSkill): Skill {
    return lockedSkill(skill, locked.files, {
      ready: async () => {
        if (known.look !== undefined) return undefined;
        const verdict = await this.#examine(skill, known, locked);
        if (verdict.kind === 'good') return undefined;
        this.#found();
        return verdict.notice;
      },
      drifted: () => {
        // One that is withheld has been told of already.
        if (known.look?.verdict.kind === 'good') void this.#examine(skill, known, locked).then(this.#found);
      },
    });
  }

  #examine(skill: Skill, known: Known, locked: LockedSkill): Promise<Verdict> {
    known.looking ??= this.#look(skill, known, locked).finally(() => {
      known.looking = undefined;
    });
    return known.looking;
  }

  async #look(skill: Skill, known: Known, locked: LockedSkill): Promise<Verdict> {
    const paths = [...locked.files.values()].map(({ path }) => path);
    const places = skill.directory === undefined ? [] : placesOf(skill.directory, paths);
    // Taken first: what changes while the files are read is seen by the next look.
    const signature = signatureOf(places);
    const verdict = await check(skill, locked);
    known.look = { verdict, places, signature, at: Date.now() };
    return verdict;
  }
}
