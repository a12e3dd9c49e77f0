/** Holds a skill against the lock. */
import { reasonOf } from '../../errors.js';
import type { Notice, Skill } from '../source.js';
import { digestsOf, encodedPath } from './digests.js';
import type { LockedSkill, SkillLock } from './lock.js';

/** What can be said of a skill without looking at its files. */
export type Claim =
  | { readonly kind: 'exempt' }
  /** Nothing but another lock can change that. */
  | { readonly kind: 'refused'; readonly notice: Notice }
  | { readonly kind: 'locked'; readonly locked: LockedSkill };

/** What came of looking at the files of a skill. */
export type Verdict =
  | { readonly kind: 'good' }
  | { readonly kind: 'differs'; readonly notice: Notice }
  /** It could not be found out, which may pass. */
  | { readonly kind: 'failed'; readonly notice: Notice };

export function claimOf(skill: Skill, lock: SkillLock): Claim {
  const locked = lock.of(skill);
  if (locked.state === 'exempt') return { kind: 'exempt' };
  if (locked.state === 'unknown') return { kind: 'refused', notice: withheld(skill, 'it is not in footbridge.lock') };
  if (locked.state === 'locked') return { kind: 'locked', locked };
  const reason = `it comes from ${locked.origin}, and footbridge.lock has it from ${locked.locked}`;
  return { kind: 'refused', notice: withheld(skill, reason) };
}

/** Whether a skill is what was locked in everything. Never rejects. */
export async function check(skill: Skill, locked: LockedSkill): Promise<Verdict> {
  try {
    return await compare(skill, locked);
  } catch (cause) {
    return { kind: 'failed', notice: withheld(skill, `it could not be checked: ${reasonOf(cause)}`) };
  }
}

async function compare(skill: Skill, { description, files }: LockedSkill): Promise<Verdict> {
  const missing = new Map(files);
  const wrong: { readonly path: string; readonly what: string }[] = [];
  for (const { path, size, digest } of await digestsOf(skill)) {
    const known = files.get(encodedPath(path));
    missing.delete(encodedPath(path));
    if (known === undefined) wrong.push({ path, what: 'is not in footbridge.lock' });
    else if (known.digest !== digest || known.size !== size) wrong.push({ path, what: 'is not what footbridge.lock has' });
  }
  for (const { path } of missing.values()) wrong.push({ path, what: 'is in footbridge.lock and not there any more' });
  const [first] = wrong;
  if (first !== undefined) {
    const more = wrong.length === 1 ? '' : `, and ${wrong.length - 1} more of its files`;
    return differs(skill, `${first.path} ${first.what}${more}`, first.path);
  }
  // Of a file that was changed and changed back it may still be the one in between; a server may list what no file of its says.
  if (skill.description !== description) return differs(skill, 'its description is not what footbridge.lock has');
  return { kind: 'good' };
}

function differs(skill: Skill, reason: string, path?: string): Verdict {
  return { kind: 'differs', notice: withheld(skill, reason, path) };
}

function withheld({ directory, group, name, origin }: Skill, reason: string, path?: string): Notice {
  const skill = [...group, name].join(':');
  return {
    severity: 'error',
    rule: 'locked',
    file: directory === undefined ? `${origin}: ${skill}` : `${directory}${path === undefined ? '' : `/${path}`}`,
    message: `The skill "${skill}" is withheld: ${reason}.`.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '),
    action: 'Look at the change; then run `footbridge lock`.',
    skipped: true,
  };
}
