/** Removes local paths, for callers on other machines. */
import { basename, isAbsolute } from 'node:path';
import type { Skill } from '../source.js';
import { mapSkill, mapSource, type Transform } from './index.js';

export const withoutPaths: Transform = (source) => mapSource(source, (whole) => ({ ...whole, skills: whole.skills?.map(withoutPath) }));

const known = new WeakMap<Skill, Skill>();

/** The same object for the same skill, so that an unchanged skill stays unchanged. */
function withoutPath(skill: Skill): Skill {
  let shown = known.get(skill);
  if (shown === undefined) {
    const { origin } = skill;
    shown = mapSkill(skill, { directory: undefined, origin: isAbsolute(origin) ? basename(origin) : origin });
    known.set(skill, shown);
  }
  return shown;
}
