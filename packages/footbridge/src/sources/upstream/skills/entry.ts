/** Entries of the Skills extension, `skills/list`. */
import { echo } from '../../../errors.js';
import { type Fields, isFields } from '../../../json.js';
import { isLargeJson, jsonPieces, jsonStart } from '../../../json-pieces.js';
import { digestOf } from '../../skills/digest.js';
import { checkFields, conforms, LIMITS } from '../../skills/rules.js';
import { type Notice, SKILL_FILE } from '../../source.js';
import { checkCount, checkFiles, DIGEST, type PublishedFile, type PublishedSkill, refusals, SkillRefusal, sizeOf } from './published.js';
import { folderOf, pathBelow, type SkillFolder, uriBelow } from './uri-path.js';

/** A served skill, with notices about it. */
export interface Found {
  readonly folder: SkillFolder;
  readonly published: PublishedSkill;
  readonly notices: readonly Notice[];
}

/** Throws a `SkillRefusal` when the entry is invalid. In steps: it may have megabytes. */
export function* fromEntry(entry: Fields): Generator<void, Found> {
  const { uri, frontmatter, resources } = entry;
  const folder = typeof uri === 'string' ? folderOf(uri) : undefined;
  if (typeof uri !== 'string' || folder === undefined) throw new SkillRefusal(refusals.badUri);
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
      // A dynamic skill has no digest, so the entry serves as its version.
      version: files.find(({ path }) => path === SKILL_FILE)?.digest ?? (yield* digestSteps(entry)),
      files,
      complete: !dynamic,
      ...(isFields(frontmatter) ? { frontmatter } : {}),
      declared: true,
    },
    notices,
  };
}

/** The digest of its JSON. */
function* digestSteps(entry: Fields): Generator<void, string> {
  if (!isLargeJson(entry)) return digestOf(JSON.stringify(entry));
  let digest = '';
  for (const piece of jsonPieces(entry)) {
    digest = digestOf(digest + piece);
    yield;
  }
  return digest;
}

function checkFrontmatter(frontmatter: unknown, folder: SkillFolder, uri: string) {
  if (!isFields(frontmatter)) throw new SkillRefusal(refusals.badEntry('its frontmatter is not an object'));
  if (Object.hasOwn(frontmatter, '__proto__')) throw new SkillRefusal(refusals.badEntry('its frontmatter has a field "__proto__"'));
  if (jsonStart(frontmatter, LIMITS.frontmatter).length > LIMITS.frontmatter) throw new SkillRefusal(refusals.longFrontmatter);
  const { metadata } = frontmatter;
  const fields = new Map(Object.entries(frontmatter));
  if (isFields(metadata)) fields.set('metadata', new Map(Object.entries(metadata)));
  const checked = checkFields(fields, folder.segments.at(-1) ?? '', echo(uri), false);
  if (!checked.served) throw new SkillRefusal(checked.notice);
  return checked;
}

function toFiles(resources: unknown, folder: SkillFolder): readonly PublishedFile[] {
  if (!Array.isArray(resources)) throw new SkillRefusal(refusals.badEntry('its resources are neither a list nor "dynamic"'));
  checkCount(resources);
  return resources.map((resource: unknown) => {
    const { uri, digest, size } = isFields(resource) ? resource : {};
    if (typeof uri !== 'string') throw new SkillRefusal(refusals.badEntry('a file has no URI'));
    return toFile(folder, uri, digest, size);
  });
}

/** A file with a digest. Throws a `SkillRefusal` when it is outside the skill's folder. */
function toFile(folder: SkillFolder, uri: string, digest: unknown, size: unknown): PublishedFile {
  const path = pathBelow(folder, uri);
  if (path === undefined) throw new SkillRefusal(refusals.outside(uri));
  const bytes = sizeOf(size);
  if (typeof digest !== 'string' || !DIGEST.test(digest) || bytes === undefined)
    throw new SkillRefusal(refusals.badEntry(`the digest or the size of '${echo(path)}' is invalid`));
  return { path, uri, size: bytes, digest };
}

/** The files of a FastMCP `_manifest`; undefined for anything else. */
export function fromManifest(manifest: unknown, folder: SkillFolder): readonly PublishedFile[] | undefined {
  const files = isFields(manifest) ? manifest['files'] : undefined;
  if (!Array.isArray(files)) return undefined;
  checkCount(files);
  return files.map((file: unknown) => {
    const { path, hash, size } = isFields(file) ? file : {};
    if (typeof path !== 'string') throw new SkillRefusal(refusals.badEntry('a file of its _manifest has no path'));
    return toFile(folder, uriBelow(folder, path), hash, size);
  });
}
