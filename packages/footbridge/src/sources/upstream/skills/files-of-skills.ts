/** Which of a server's resources are files of its skills. */
import { type Place, placeKey, placeOf } from './place.js';
import type { UpstreamSkill } from './upstream-skill.js';

/** Finds the skill that a URI of the server lies in, and the path below it. */
export function skillFinder(skills: readonly UpstreamSkill[]): (uri: string) => { skill: UpstreamSkill; path: string } | undefined {
  const byFolder = new Map(skills.map((skill) => [placeKey(skill.folder), skill]));
  const find = ({ scheme, segments }: Place) => {
    for (let end = segments.length - 1; end > 0; end--) {
      const skill = byFolder.get(placeKey({ scheme, segments: segments.slice(0, end) }));
      if (skill !== undefined) return { skill, path: segments.slice(end).join('/') };
    }
    return undefined;
  };
  return (uri) => {
    const place = byFolder.size === 0 ? undefined : placeOf(uri);
    return place === undefined ? undefined : find(place);
  };
}
