/** Transforms: how what a source contributes is shown. */
import type { InternalContribution, InternalSource, Skill, Source } from '../source.js';

/** Makes a source of a source. */
export type Transform = (source: Source) => InternalSource;

/** A source with each of its contributions mapped. Updates of URIs that `shows` refuses are dropped. */
export function mapSource(
  source: Source,
  map: (whole: InternalContribution) => InternalContribution,
  shows: (uri: string) => boolean = () => true,
): InternalSource {
  return {
    name: source.name,
    async open(changed, updated) {
      const first = await source.open(
        (next) => changed(map(next)),
        (uri) => shows(uri) && updated(uri),
      );
      return map(first);
    },
    refresh: async (context) => source.refresh?.(context),
    close: () => source.close?.(),
  };
}

/** A skill with some of its parts replaced. */
export function mapSkill(skill: Skill, parts: Partial<Skill>): Skill {
  const { name, description, group, location, origin, directory, identity, version, size, conforms } = skill;
  return {
    name,
    description,
    group,
    location,
    origin,
    directory,
    identity,
    version,
    size,
    conforms,
    read: (path, context) => skill.read(path, context),
    list: (folder) => skill.list(folder),
    manifest: () => skill.manifest(),
    ...parts,
  };
}
