/** Compares a skill with the lock. */
import { reasonOf } from '../../../errors.js';
import { qualifiedName } from '../../skill-uri.js';
import type { Notice, Skill } from '../../source.js';
import { digestsOf, encodedPath } from './digests.js';
import type { LockedSkill, SkillLock } from './lock.js';

/** What the lock says about a skill, before its files are read. */
export type Claim =
  | { readonly kind: 'exempt' }
  /** Only another lock can change that. */
  | { readonly kind: 'refused'; readonly notice: Notice }
  | { readonly kind: 'locked'; readonly locked: LockedSkill };

/** The result of comparing a skill's files with the lock. */
export type LockCheck =
  | { readonly kind: 'good' }
  | { readonly kind: 'differs'; readonly notice: Notice }
  /** The files could not be read, which may be temporary. */
  | { readonly kind: 'failed'; readonly notice: Notice };

export function claimOf(skill: Skill, lock: SkillLock): Claim {
  const entry = lock.of(skill);
  if (entry.state === 'exempt') return { kind: 'exempt' };
  if (entry.state === 'unknown') return { kind: 'refused', notice: withheld(skill, 'it is not in footbridge.lock') };
  if (entry.state === 'locked') return { kind: 'locked', locked: entry };
  const reason = `it comes from ${entry.origin}, but footbridge.lock has it from ${entry.locked}`;
  return { kind: 'refused', notice: withheld(skill, reason) };
}

/** Compares every file and the description. Never rejects. */
export async function check(skill: Skill, locked: LockedSkill): Promise<LockCheck> {
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
