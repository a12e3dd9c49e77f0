/** What a lock file says about skills, as far as serving them goes. */
import type { Notice, Skill } from '../../source.js';

/** One file of a skill as it was locked. */
export interface LockedFile {
  /** Below the skill, decoded and `/`-separated. */
  readonly path: string;
  readonly size: number;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** What a lock says about one skill. */
export type LockEntry =
  /** The lock does not cover it: it is served as it is. */
  | { readonly state: 'exempt' }
  | { readonly state: 'unknown' }
  /** The lock has a skill from another origin under this name. */
  | { readonly state: 'elsewhere'; readonly origin: string; readonly locked: string }
  | LockedSkill;

/** A skill as it was locked. */
export interface LockedSkill {
  readonly state: 'locked';
  readonly description: string;
  /** By their paths as URIs write them. */
  readonly files: ReadonlyMap<string, LockedFile>;
}

export interface SkillLock {
  /** Why the lock cannot be used: then every skill is withheld. */
  readonly problem?: Notice;
  of(skill: Skill): LockEntry;
}

/** The current lock. */
export interface Locks {
  readonly current: SkillLock;
  /** Calls `listener` whenever the lock changes; returns a function that stops that. */
  onChange(listener: () => void): () => void;
}
