/** The skills of a server as they are cached, and read from the cache. */
import { isFields } from '../../../json.js';
import { stepsOver } from '../../../turns.js';
import type { ReadContext } from '../../resource.js';
import type { Skill } from '../../source.js';
import { DIGEST, type PublishedFile, type PublishedSkill, sizeOf } from './published.js';
import { type Publisher, publisherOf, UpstreamSkill } from './upstream-skill.js';
import { folderOf } from './uri-path.js';

export function rememberSkills(skills: readonly Skill[]): readonly PublishedSkill[] {
  return skills.flatMap((skill) => (skill instanceof UpstreamSkill ? [skill.published] : []));
}

/** Of what was stored, what is a skill. */
export function publishedIn(stored: unknown): readonly PublishedSkill[] {
  return Array.isArray(stored) ? stored.filter(isPublished) : [];
}

/** Skills from the cache, without invalid ones. */
export function* recallSkills(
  remembered: unknown,
  server: Omit<Publisher, 'context'>,
  context: ReadContext,
): Generator<void, readonly UpstreamSkill[]> {
  const publisher = publisherOf(server, context);
  const skills: UpstreamSkill[] = [];
  const all: readonly unknown[] = Array.isArray(remembered) ? remembered : [];
  yield* stepsOver(all, (each) => {
    const folder = isPublished(each) ? folderOf(each.uri) : undefined;
    if (isPublished(each) && folder !== undefined) skills.push(new UpstreamSkill(each, folder, publisher));
  });
  return skills;
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
