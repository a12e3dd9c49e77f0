/** Converts skills to and from the cache. */
import { isFields } from '../../../json.js';
import type { ReadContext } from '../../resource.js';
import type { Skill } from '../../source.js';
import { DIGEST, type PublishedFile, type PublishedSkill, sizeOf } from './published.js';
import { type Publisher, publisherOf, UpstreamSkill } from './upstream-skill.js';
import { folderOf } from './uri-path.js';

export function rememberSkills(skills: readonly Skill[]): readonly PublishedSkill[] {
  return skills.flatMap((skill) => (skill instanceof UpstreamSkill ? [skill.published] : []));
}

/** Skills from the cache, without invalid ones. */
export function recallSkills(remembered: unknown, server: Omit<Publisher, 'context'>, context: ReadContext): readonly UpstreamSkill[] {
  const publisher = publisherOf(server, context);
  return (Array.isArray(remembered) ? remembered : []).flatMap((each: unknown) => {
    const folder = isPublished(each) ? folderOf(each.uri) : undefined;
    return isPublished(each) && folder !== undefined ? [new UpstreamSkill(each, folder, publisher)] : [];
  });
}

function isPublished(value: unknown): value is PublishedSkill {
  if (!isFields(value)) return false;
  const { uri, name, description, conforms, version, files, complete, frontmatter, declared } = value;
  return (
    [uri, name, description, version].every((each) => typeof each === 'string' && each !== '') &&
    [conforms, complete, declared].every((each) => typeof each === 'boolean') &&
    (frontmatter === undefined || isFields(frontmatter)) &&
    Array.isArray(files) &&
    files.every(isFile)
  );
}

function isFile(value: unknown): value is PublishedFile {
  if (!isFields(value)) return false;
  const { path, uri, size, digest } = value;
  return (
    typeof path === 'string' &&
    typeof uri === 'string' &&
    (size === undefined || sizeOf(size) !== undefined) &&
    (digest === undefined || (typeof digest === 'string' && DIGEST.test(digest)))
  );
}
