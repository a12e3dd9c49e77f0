/** What a lock says of skills, as far as serving them goes. */
import type { Notice, Skill } from '../source.js';

/** One file of a skill as it was locked. */
export interface LockedFile {
  /** Below the skill, decoded and `/`-separated. */
  readonly path: string;
  readonly size: number;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** What a lock says of one skill. */
export type Locked =
  /** The lock is not about it: it is served as it is. */
  | { readonly state: 'exempt' }
  | { readonly state: 'unknown' }
  /** Its place is taken by a skill that comes from elsewhere. */
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
  /** Why nothing can be held against it: then every skill is withheld. */
  readonly problem?: Notice;
  of(skill: Skill): Locked;
}

/** The lock of the moment. */
export interface Locks {
  readonly current: SkillLock;
  /** Calls `listener` whenever there is another; returns the way to stop. */
  onChange(listener: () => void): () => void;
}
