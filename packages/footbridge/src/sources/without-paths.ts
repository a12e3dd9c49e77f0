/** A source as callers on other machines see it: where its files lie here is of no use to them, and none of their business. */
import { basename, isAbsolute } from 'node:path';
import type { Contribution, Skill, Source } from './source.js';

export function withoutPaths(source: Source): Source {
  return {
    name: source.name,
    open: async (changed, updated) => strip(await source.open((next) => changed(strip(next)), updated)),
    refresh: (context) => source.refresh(context),
    close: () => source.close(),
  };
}

function strip(contribution: Contribution): Contribution {
  return { ...contribution, skills: contribution.skills.map(stripped) };
}

const known = new WeakMap<Skill, Skill>();

/** One for each, so that an unchanged skill stays the same. */
function stripped(skill: Skill): Skill {
  let bare = known.get(skill);
  if (bare === undefined) {
    const { name, description, group, location, origin, identity, version, size, conforms } = skill;
    bare = {
      name,
      description,
      group,
      location,
      origin: isAbsolute(origin) ? basename(origin) : origin,
      identity,
      version,
      size,
      conforms,
      read: (path, context) => skill.read(path, context),
      list: (folder) => skill.list(folder),
      manifest: () => skill.manifest(),
    };
    known.set(skill, bare);
  }
  return bare;
}
