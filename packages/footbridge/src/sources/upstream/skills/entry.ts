/** Entries of the Skills extension, `skills/list`. */
import { echo } from '../../../errors.js';
import { type Fields, isFields } from '../../../json.js';
import { digestOf } from '../../skills/digest.js';
import { checkFields, conforms, LIMITS } from '../../skills/rules.js';
import { type Notice, SKILL_FILE } from '../../source.js';
import { folderOf, pathBelow, type SkillFolder, uriBelow } from './place.js';
import { checkFiles, DIGEST, type PublishedFile, type PublishedSkill, sizeOf } from './published.js';
import { Refusal, refusals } from './refusal.js';

/** A skill that is served, and what is odd about it. */
export interface Found {
  readonly folder: SkillFolder;
  readonly published: PublishedSkill;
  readonly notices: readonly Notice[];
}

/** The skill of an entry. Throws a `Refusal` when it is none that may be served. */
export function fromEntry(entry: Fields): Found {
  const { uri, frontmatter, resources } = entry;
  const folder = typeof uri === 'string' ? folderOf(uri) : undefined;
  if (typeof uri !== 'string' || folder === undefined) throw new Refusal(refusals.badUri);
  const { name, description, notices } = checkFrontmatter(frontmatter, folder, uri);
  const dynamic = resources === 'dynamic';
  const files = dynamic ? [{ path: SKILL_FILE, uri }] : toFiles(resources, folder);
  checkFiles(files);
  return {
    folder,
    published: {
      uri,
      name,
      description,
      conforms: conforms(notices),
      // Of a skill that its server makes up as it goes, nothing is known but the entry.
      version: files.find(({ path }) => path === SKILL_FILE)?.digest ?? digestOf(JSON.stringify(entry)),
      files,
      complete: !dynamic,
      ...(isFields(frontmatter) ? { frontmatter } : {}),
      declared: true,
    },
    notices,
  };
}

function checkFrontmatter(frontmatter: unknown, folder: SkillFolder, uri: string) {
  if (!isFields(frontmatter)) throw new Refusal(refusals.badEntry('its frontmatter is not an object'));
  if (Object.hasOwn(frontmatter, '__proto__')) throw new Refusal(refusals.badEntry('its frontmatter has a field "__proto__"'));
  if (JSON.stringify(frontmatter).length > LIMITS.frontmatter) throw new Refusal(refusals.longFrontmatter);
  const { metadata } = frontmatter;
  const fields = new Map(Object.entries(frontmatter));
  if (isFields(metadata)) fields.set('metadata', new Map(Object.entries(metadata)));
  const checked = checkFields(fields, folder.segments.at(-1) ?? '', echo(uri), false);
  if (!checked.served) throw new Refusal(checked.notice);
  return checked;
}

function toFiles(resources: unknown, folder: SkillFolder): readonly PublishedFile[] {
  if (!Array.isArray(resources)) throw new Refusal(refusals.badEntry('its resources are neither a list nor "dynamic"'));
  return resources.map((resource: unknown) => {
    const { uri, digest, size } = isFields(resource) ? resource : {};
    if (typeof uri !== 'string') throw new Refusal(refusals.badEntry('a file has no URI'));
    return toFile(folder, uri, digest, size);
  });
}

/** A file that a server vouches for. Throws a `Refusal` when it lies outside the skill's folder. */
function toFile(folder: SkillFolder, uri: string, digest: unknown, size: unknown): PublishedFile {
  const path = pathBelow(folder, uri);
  if (path === undefined) throw new Refusal(refusals.outside(uri));
  const bytes = sizeOf(size);
  if (typeof digest !== 'string' || !DIGEST.test(digest) || bytes === undefined)
    throw new Refusal(refusals.badEntry(`the digest or the size of '${echo(path)}' is invalid`));
  return { path, uri, size: bytes, digest };
}

/** The files of FastMCP's `_manifest`, by path instead of by URI; undefined when this is something else. */
export function fromManifest(manifest: unknown, folder: SkillFolder): readonly PublishedFile[] | undefined {
  const files = isFields(manifest) ? manifest['files'] : undefined;
  if (!Array.isArray(files)) return undefined;
  return files.map((file: unknown) => {
    const { path, hash, size } = isFields(file) ? file : {};
    if (typeof path !== 'string') throw new Refusal(refusals.badEntry('a file of its _manifest has no path'));
    return toFile(folder, uriBelow(folder, path), hash, size);
  });
}
