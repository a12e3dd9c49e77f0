/** Skills of servers that know nothing of the extension: `skill://…/SKILL.md` among their resources. */
import type { Resource } from '@modelcontextprotocol/server';
import { echo } from '../../../errors.js';
import { isFields } from '../../../json.js';
import { schemeOf } from '../../../uri-template.js';
import type { ReadContext } from '../../resource.js';
import type { Channel } from '../../server/channel.js';
import { digestOf } from '../../skills/digest.js';
import { type CheckedFields, checkFields, conforms, LIMITS } from '../../skills/rules.js';
import { type Notice, SKILL_FILE } from '../../source.js';
import { type Found, fromManifest } from './entry.js';
import { fetchFile } from './fetch.js';
import { readInstructions } from './instructions.js';
import { folderOf, type Place, pathBelow, placeKey, placeOf, type SkillFolder } from './place.js';
import { checkFiles, type PublishedFile, sizeOf } from './published.js';
import { Refusal, refusals, refused } from './refusal.js';

/** What a server lists, of which only the URI is sure. */
export type Listed = Pick<Resource, 'uri'> & { readonly [field in Exclude<keyof Resource, 'uri'>]?: unknown };

/** A `SKILL.md` that is listed, and what else is listed in its folder. */
export interface Candidate {
  readonly folder: SkillFolder;
  readonly listed: Listed;
  readonly files: readonly PublishedFile[];
}

const SCHEME = 'skill';
/** Where FastMCP lists a skill's files with their digests. */
const MANIFEST = '_manifest';
/** Where drafts of the extension listed skills. */
const INDEX = 'skill://index.json';

/** The skills among what is listed, each once, but for those in `known` folders. */
export function findCandidates(resources: readonly Listed[], known: ReadonlySet<string>): { candidates: Candidate[]; notices: Notice[] } {
  const byFolder = new Map<string, { folder: SkillFolder; listed: Listed; files: Map<string, PublishedFile> }>();
  const notices: Notice[] = [];
  for (const listed of resources) {
    if (schemeOf(listed.uri) !== SCHEME || !listed.uri.endsWith(`/${SKILL_FILE}`)) continue;
    const folder = folderOf(listed.uri);
    if (folder === undefined) notices.push(refused(listed.uri, refusals.badUri));
    else if (!known.has(placeKey(folder)) && !byFolder.has(placeKey(folder)))
      byFolder.set(placeKey(folder), { folder, listed, files: new Map() });
  }
  for (const { uri, size } of resources) {
    const place = placeOf(uri);
    const candidate = place?.scheme === SCHEME ? innermost(place, byFolder) : undefined;
    const path = candidate === undefined ? undefined : pathBelow(candidate.folder, uri);
    if (candidate === undefined || path === undefined) continue;
    const bytes = sizeOf(size);
    candidate.files.set(path, { path, uri, size: bytes });
  }
  return { candidates: [...byFolder.values()].map((each) => ({ ...each, files: [...each.files.values()] })), notices };
}

/** The skill that a file belongs to, if one lies in the folder of another. */
function innermost<T>({ scheme, segments }: Place, byFolder: ReadonlyMap<string, T>): T | undefined {
  for (let length = segments.length - 1; length > 0; length--) {
    const found = byFolder.get(placeKey({ scheme, segments: segments.slice(0, length) }));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The skill of a candidate, by what is listed if that says enough, else by reading `SKILL.md`. Throws a `Refusal` when it is none. */
export async function fromListed(channel: Channel, { folder, listed, files }: Candidate, context: ReadContext): Promise<Found> {
  const manifest = files.find(({ path }) => path === MANIFEST);
  const vouched =
    manifest === undefined ? undefined : fromManifest(parse((await fetchFile(channel, folder, manifest, context))?.bytes), folder);
  const all = vouched ?? files;
  checkFiles(all);
  const own = all.find(({ path }) => path === SKILL_FILE) ?? { path: SKILL_FILE, uri: listed.uri };
  const found = { uri: listed.uri, files: all, complete: vouched !== undefined, declared: false };
  const stamp = own.digest ?? modified(listed);
  const said = saidOf(folder, listed);
  if (stamp !== undefined && said !== undefined) {
    const { name, description, notices } = said;
    return { folder, published: { ...found, name, description, conforms: true, version: stamp }, notices };
  }
  const content = await fetchFile(channel, folder, own, context);
  if (content === undefined) throw new Refusal(refusals.unreadable('it was not found.'));
  const read = await readInstructions(content.bytes, folder.segments.at(-1) ?? '', listed.uri);
  if (!read.readable) throw new Refusal(read.notice);
  const { name, description, notices } = read.checked;
  const { frontmatter } = read;
  const sized = all.map((file) => (file === own ? { ...file, size: content.bytes.length } : file));
  return {
    folder,
    published: { ...found, files: sized, name, description, conforms: conforms(notices), version: digestOf(content.bytes), frontmatter },
    notices,
  };
}

/** When the server says that it last changed, in words of its own; undefined where it does not. */
function modified({ annotations, size }: Listed): string | undefined {
  const stamp = isFields(annotations) ? annotations['lastModified'] : undefined;
  return typeof stamp === 'string' && stamp !== '' ? digestOf(JSON.stringify([stamp, size])) : undefined;
}

/** Name and description by the list; undefined unless both are such that `SKILL.md` can hardly say otherwise. */
function saidOf(folder: SkillFolder, { uri, name, description }: Listed): Extract<CheckedFields, { served: true }> | undefined {
  const last = folder.segments.at(-1) ?? '';
  if (name !== last && name !== `${last}/${SKILL_FILE}` && name !== SKILL_FILE) return undefined;
  // A single word is what is left of YAML that was read line by line.
  if (typeof description !== 'string' || description.length > LIMITS.description || !/\S\s+\S/.test(description)) return undefined;
  const checked = checkFields(new Map(Object.entries({ name: last, description })), last, echo(uri), false);
  return checked.served && conforms(checked.notices) ? checked : undefined;
}

/** What the index of a draft lists beyond the resources; empty where there is none. */
export async function readIndex(channel: Channel, resources: readonly Listed[], context: ReadContext): Promise<readonly Listed[]> {
  if (!resources.some(({ uri }) => uri === INDEX)) return [];
  const content = await fetchFile(channel, { scheme: SCHEME, segments: [] }, { path: 'index.json', uri: INDEX }, context);
  const index = parse(content?.bytes);
  const skills = isFields(index) ? index['skills'] : undefined;
  if (!Array.isArray(skills)) return [];
  return skills.flatMap((skill: unknown) => {
    const { type, url, name, description } = isFields(skill) ? skill : {};
    return type === 'skill-md' && typeof url === 'string' ? [{ uri: url, name, description }] : [];
  });
}

function parse(bytes: Uint8Array | undefined): unknown {
  const text = Buffer.from(bytes ?? []).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
