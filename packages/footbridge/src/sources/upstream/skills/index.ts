/** The skills of an upstream, through the Skills extension or as plain resources. */
import type { Resource } from '@modelcontextprotocol/server';
import { echo, FootbridgeError } from '../../../errors.js';
import { type Fields, isFields } from '../../../json.js';
import { parseText } from '../../../json-turns.js';
import { inTurns, stepsOver, Turns } from '../../../turns.js';
import { encodeSegment } from '../../../uri-segment.js';
import { schemeOf } from '../../../uri-template.js';
import type { ReadContext } from '../../resource.js';
import { type Channel, listAll, ServerError } from '../../server/channel.js';
import { digestOf } from '../../skills/digest.js';
import { type CheckedFields, checkFields, conforms, LIMITS } from '../../skills/rules.js';
import { type Notice, SKILL_FILE, type Skill } from '../../source.js';
import { type Found, fromEntry, fromManifest } from './entry.js';
import { fetchFile } from './fetch.js';
import { readInstructions } from './instructions.js';
import { checkFiles, type PublishedFile, refusals, refused, SkillRefusal, sizeOf } from './published.js';
import { type Publisher, publisherOf, UpstreamSkill } from './upstream-skill.js';
import { folderOf, innermost, type SkillFolder, uriPathKey, uriPathOf } from './uri-path.js';

export interface UpstreamSkillsOptions extends Omit<Publisher, 'context'> {
  /** As listed. */
  readonly resources: readonly ListedResource[];
  readonly capabilities: Fields;
}

export interface UpstreamSkills {
  readonly skills: readonly Skill[];
  readonly notices: readonly Notice[];
}

const EXTENSION = 'io.modelcontextprotocol/skills';
/** Skills beyond this number are ignored. */
const MAX_SKILLS = 10_000;
/** Concurrent requests. */
const SIDE_BY_SIDE = 8;

/** All skills of the server. An invalid skill becomes a notice; rejects when the server fails. */
export async function findSkills(options: UpstreamSkillsOptions, context: ReadContext): Promise<UpstreamSkills> {
  const { channel, capabilities, origin, group } = options;
  const { extensions } = capabilities;
  const declared = isFields(extensions) && isFields(extensions[EXTENSION]);
  const entries = (declared ? await listAll(channel, 'skills/list', 'skills', context) : undefined) ?? [];
  const published = await inTurns(fromEntries(entries.slice(0, MAX_SKILLS)));
  // Skills that the extension cannot carry may be resources, but not those that were refused above.
  const listed = await findListed(options, published.known, context);
  const count = Math.max(entries.length, listed.count);
  const publisher = publisherOf(options, context);
  const skills: Skill[] = [];
  const notices = count > MAX_SKILLS ? [refused(origin, refusals.tooManySkills(count, MAX_SKILLS))] : [];
  const add = (found: Found) => {
    skills.push(new UpstreamSkill(found.published, found.folder, publisher));
    for (const notice of found.notices) notices.push(notice);
  };
  await inTurns(stepsOver([...published.found, ...listed.found], add));
  return { skills, notices: [...notices, ...published.notices, ...listed.notices].map((notice) => asSeen(notice, group)) };
}

/** In steps: a list may have very many. */
function* fromEntries(entries: readonly Fields[]): Generator<void, { found: Found[]; notices: Notice[]; known: ReadonlySet<string> }> {
  const found: Found[] = [];
  const notices: Notice[] = [];
  const known = new Set<string>();
  const repeated = new Set<string>();
  for (const entry of entries) {
    yield;
    const uri = typeof entry['uri'] === 'string' ? entry['uri'] : '';
    const folder = folderOf(uri);
    const key = folder === undefined ? undefined : uriPathKey(folder);
    if (key !== undefined && known.has(key)) {
      if (!repeated.has(key)) notices.push(refused(uri, refusals.listedTwice));
      repeated.add(key);
      continue;
    }
    if (key !== undefined) known.add(key);
    try {
      found.push(yield* fromEntry(entry));
    } catch (cause) {
      // Anything else is caused by too deeply nested data.
      notices.push(refused(uri, cause instanceof SkillRefusal ? cause.reason : refusals.badEntry('it cannot be read')));
    }
  }
  return { found, notices, known };
}

async function findListed(
  { channel, resources }: UpstreamSkillsOptions,
  known: ReadonlySet<string>,
  context: ReadContext,
): Promise<{ found: Found[]; notices: Notice[]; count: number }> {
  const found: Found[] = [];
  const indexed = await orNotice('skill://index.json', () => readIndex(channel, resources, context));
  const { candidates, notices } = await inTurns(findCandidates([...resources, ...('rule' in indexed ? [] : indexed)], known));
  const waiting = candidates.slice(0, MAX_SKILLS).entries();
  const looked: (Found | Notice)[] = [];
  // Many need no request, so they would all be processed in one turn.
  const turns = new Turns();
  const look = async () => {
    for (const [index, candidate] of waiting) {
      looked[index] = await lookAt(channel, candidate, context);
      if (turns.isOver) await turns.next();
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, look));
  for (const each of looked) {
    if ('rule' in each) notices.push(each);
    else found.push(each);
  }
  if ('rule' in indexed) notices.push(indexed);
  return { found, notices, count: candidates.length };
}

function lookAt(channel: Channel, candidate: SkillCandidate, context: ReadContext): Promise<Found | Notice> {
  return orNotice(candidate.listed.uri, () => fromListed(channel, candidate, context));
}

/** One invalid skill does not affect the others; a failing server does. */
async function orNotice<T>(uri: string, find: () => Promise<T>): Promise<T | Notice> {
  try {
    return await find();
  } catch (cause) {
    if (cause instanceof SkillRefusal) return refused(uri, cause.reason);
    if (cause instanceof FootbridgeError || cause instanceof ServerError) return refused(uri, refusals.unreadable(cause.message));
    throw cause;
  }
}

/** Replaces the file of a notice by the URI that hosts see. */
function asSeen(notice: Notice, group: readonly string[]): Notice {
  const folder = group.length === 0 ? undefined : folderOf(notice.file);
  if (folder === undefined) return notice;
  return { ...notice, file: echo(`skill://${[...group, ...folder.segments, SKILL_FILE].map(encodeSegment).join('/')}`) };
}

/** A listed resource, of which only the URI is validated. */
type ListedResource = Pick<Resource, 'uri'> & { readonly [field in Exclude<keyof Resource, 'uri'>]?: unknown };

/** A listed `SKILL.md`, and the other files of its folder. */
interface SkillCandidate {
  readonly folder: SkillFolder;
  readonly listed: ListedResource;
  readonly files: readonly PublishedFile[];
}

const SCHEME = 'skill';
/** FastMCP's list of files with digests. */
const MANIFEST = '_manifest';
/** The index of drafts of the extension. */
const INDEX = 'skill://index.json';

/** The skills among the resources, except those in `known` folders. */
function* findCandidates(
  resources: readonly ListedResource[],
  known: ReadonlySet<string>,
): Generator<void, { candidates: SkillCandidate[]; notices: Notice[] }> {
  const byFolder = new Map<string, { folder: SkillFolder; listed: ListedResource; files: Map<string, PublishedFile> }>();
  const notices: Notice[] = [];
  for (const listed of resources) {
    yield;
    if (schemeOf(listed.uri) !== SCHEME || !listed.uri.endsWith(`/${SKILL_FILE}`)) continue;
    const folder = folderOf(listed.uri);
    if (folder === undefined) notices.push(refused(listed.uri, refusals.badUri));
    else if (!known.has(uriPathKey(folder)) && !byFolder.has(uriPathKey(folder)))
      byFolder.set(uriPathKey(folder), { folder, listed, files: new Map() });
  }
  for (const { uri, size } of resources) {
    yield;
    const place = uriPathOf(uri);
    const inside = place?.scheme === SCHEME ? innermost(place, byFolder) : undefined;
    inside?.found.files.set(inside.path, { path: inside.path, uri, size: sizeOf(size) });
  }
  return { candidates: [...byFolder.values()].map((each) => ({ ...each, files: [...each.files.values()] })), notices };
}

/** Uses the list where that is sufficient, otherwise reads `SKILL.md`. Throws a `SkillRefusal` when the skill is invalid. */
async function fromListed(channel: Channel, { folder, listed, files }: SkillCandidate, context: ReadContext): Promise<Found> {
  const manifest = files.find(({ path }) => path === MANIFEST);
  const vouched =
    manifest === undefined ? undefined : fromManifest(await parse((await fetchFile(channel, folder, manifest, context))?.bytes), folder);
  const all = vouched ?? files;
  checkFiles(all);
  const own = all.find(({ path }) => path === SKILL_FILE) ?? { path: SKILL_FILE, uri: listed.uri };
  const found = { uri: listed.uri, files: all, complete: vouched !== undefined, declared: false };
  const stamp = own.digest ?? modified(listed);
  const fields = listedFields(folder, listed);
  if (stamp !== undefined && fields !== undefined) {
    const { name, description, notices } = fields;
    return { folder, published: { ...found, name, description, conforms: true, version: stamp }, notices };
  }
  const content = await fetchFile(channel, folder, own, context);
  if (content === undefined) throw new SkillRefusal(refusals.unreadable('it was not found.'));
  const read = await readInstructions(content.bytes, folder.segments.at(-1) ?? '', listed.uri);
  if (!read.readable) throw new SkillRefusal(read.notice);
  const { name, description, notices } = read.checked;
  const { frontmatter } = read;
  const sized = all.map((file) => (file === own ? { ...file, size: content.bytes.length } : file));
  return {
    folder,
    published: { ...found, files: sized, name, description, conforms: conforms(notices), version: digestOf(content.bytes), frontmatter },
    notices,
  };
}

/** A version from `lastModified`; undefined without one. */
function modified({ annotations, size }: ListedResource): string | undefined {
  const stamp = isFields(annotations) ? annotations['lastModified'] : undefined;
  return typeof stamp === 'string' && stamp !== '' ? digestOf(JSON.stringify([stamp, size])) : undefined;
}

/** Name and description from the list; undefined unless they can be trusted to match `SKILL.md`. */
function listedFields(
  folder: SkillFolder,
  { uri, name, description }: ListedResource,
): Extract<CheckedFields, { served: true }> | undefined {
  const last = folder.segments.at(-1) ?? '';
  if (name !== last && name !== `${last}/${SKILL_FILE}` && name !== SKILL_FILE) return undefined;
  // A single word may be the first line of a YAML block.
  if (typeof description !== 'string' || description.length > LIMITS.description || !/\S\s+\S/.test(description)) return undefined;
  const checked = checkFields(new Map(Object.entries({ name: last, description })), last, echo(uri), false);
  return checked.served && conforms(checked.notices) ? checked : undefined;
}

/** The skills of a draft's index; empty without one. */
async function readIndex(channel: Channel, resources: readonly ListedResource[], context: ReadContext): Promise<readonly ListedResource[]> {
  if (!resources.some(({ uri }) => uri === INDEX)) return [];
  const content = await fetchFile(channel, { scheme: SCHEME, segments: [] }, { path: 'index.json', uri: INDEX }, context);
  const index = await parse(content?.bytes);
  const skills = isFields(index) ? index['skills'] : undefined;
  if (!Array.isArray(skills)) return [];
  return skills.flatMap((skill: unknown) => {
    const { type, url, name, description } = isFields(skill) ? skill : {};
    return type === 'skill-md' && typeof url === 'string' ? [{ uri: url, name, description }] : [];
  });
}

async function parse(bytes: Uint8Array | undefined): Promise<unknown> {
  const parsed = await parseText(Buffer.from(bytes ?? []).toString('utf8'));
  return 'value' in parsed ? parsed.value : undefined;
}
