/** Which skills `footbridge sync` writes. */
import { dirname } from 'node:path';
import type { Catalog } from '../../catalog/catalog.js';
import { nearSkills } from '../../catalog/near-skills.js';
import { callName } from '../../catalog/snapshot.js';
import { reasonOf } from '../../errors.js';
import { readSyncRecord } from '../../sources/skills/synced.js';
import type { Skill } from '../../sources/source.js';
import { withoutLinks } from '../folders.js';
import type { Io } from '../io.js';
import type { ShowProgress } from '../progress.js';
import { filesOf } from './content.js';
import type { SelectedSkill } from './plan.js';
import { syncRecords } from './records-folder.js';
import type { SyncTarget } from './targets.js';

/** Servers are asked for several skills at a time. */
const SIDE_BY_SIDE = 8;

/** The named skills, or all. Throws for an unknown name. */
export async function namedSkills(catalog: Catalog, names: readonly string[]): Promise<readonly Skill[]> {
  if (names.length === 0) return catalog.snapshot.skills;
  const skills = new Set<Skill>();
  for (const name of names) {
    const skill = catalog.findSkill(name);
    if (skill === undefined) {
      const near = (await nearSkills(catalog, name)).map((each) => callName(catalog.snapshot, each));
      throw new Error(
        `Skill "${name}" not found.${near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`} See all with: footbridge list`,
      );
    }
    skills.add(skill);
  }
  return [...skills];
}

/** With the digests of their files, in the same order. */
export async function withFiles(skills: readonly Skill[], show: ShowProgress): Promise<readonly SelectedSkill[]> {
  const found: SelectedSkill[] = [];
  const waiting = skills.entries();
  const look = async () => {
    for (const [index, skill] of waiting) {
      show(`reading ${skill.name}…`);
      found[index] = await filesOf(skill).then(
        (files) => ({ skill, files }),
        (cause: unknown) => ({ skill, files: undefined, why: reasonOf(cause) }),
      );
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, look));
  return found;
}

/** Whether the hosts read a skill, or a copy of it, from another of their folders: they would show it twice. */
export function readElsewhere({ readable }: SyncTarget, folder: string, io: Io): (skill: Skill) => boolean {
  const others = [...new Set(readable.map(withoutLinks))].filter((each) => each !== folder);
  const copies = new Set(others.flatMap((each) => (readSyncRecord(syncRecords(io), each)?.skills ?? []).map(({ identity }) => identity)));
  return ({ directory, identity }) =>
    copies.has(identity) || (directory !== undefined && others.includes(withoutLinks(dirname(directory))));
}
