/** The lock as serving skills asks it. */
import { skillRoot } from '../../sources/skill-uri.js';
import type { LockedSkill, SkillLock } from '../../sources/transforms/locked/lock.js';
import type { Lock, LockedSkillEntry } from './document.js';
import type { LockPlace } from './file.js';
import { isPersonal, lockedOrigin } from './origin.js';

export function skillLock({ scope, skills }: Lock, place: Pick<LockPlace, 'folder' | 'cwd'>): SkillLock {
  const byUri = new Map(skills.map((skill) => [skill.uri, skill]));
  const known = new Map<LockedSkillEntry, LockedSkill>();
  return {
    of(skill) {
      if (scope === 'project' && isPersonal(skill, place)) return { state: 'exempt' };
      const entry = byUri.get(skillRoot(skill));
      if (entry === undefined) return { state: 'unknown' };
      const origin = lockedOrigin(skill, place);
      if (entry.origin !== origin) return { state: 'elsewhere', origin, locked: entry.origin };
      const locked = known.get(entry) ?? lockedOf(entry);
      known.set(entry, locked);
      return locked;
    },
  };
}

function lockedOf({ uri: root, description, files }: LockedSkillEntry): LockedSkill {
  return {
    state: 'locked',
    description,
    files: new Map(
      files.map(({ uri, digest, size }) => {
        const encoded = uri.slice(root.length + 1);
        return [encoded, { path: decoded(encoded), digest, size }];
      }),
    ),
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Bytes that are no text: such a path leads nowhere.
    return path;
  }
}
