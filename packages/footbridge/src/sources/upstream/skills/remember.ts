/** Skills of a server as plain JSON, so that a later start can show them before the server is up. */
import { isFields } from '../../../json.js';
import type { ReadContext } from '../../resource.js';
import type { Skill } from '../../source.js';
import { folderOf } from './place.js';
import { DIGEST, type PublishedFile, type PublishedSkill, sizeOf } from './published.js';
import { type Publisher, publisherOf, UpstreamSkill } from './upstream-skill.js';

/** What there is to remember of skills that `findSkills` or `recallSkills` gave. */
export function rememberSkills(skills: readonly Skill[]): readonly PublishedSkill[] {
  return skills.flatMap((skill) => (skill instanceof UpstreamSkill ? [skill.published] : []));
}

/** The skills that were remembered; what is no skill any more is left out. Reading them asks the channel. */
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
