/** The skills of an upstream, through the Skills extension or as plain resources. */
import { echo, FootbridgeError } from '../../../errors.js';
import { type Fields, isFields } from '../../../json.js';
import { encodeSegment } from '../../../uri-segment.js';
import type { ReadContext } from '../../resource.js';
import { type Channel, listAll, ServerError } from '../../server/channel.js';
import { type Notice, SKILL_FILE, type Skill } from '../../source.js';
import { type Found, fromEntry } from './entry.js';
import { findCandidates, fromListed, type ListedResource, readIndex, type SkillCandidate } from './listed.js';
import { refusals, refused, SkillRefusal } from './refusal.js';
import { type Publisher, publisherOf, UpstreamSkill } from './upstream-skill.js';
import { folderOf, uriPathKey } from './uri-path.js';

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
const MOST_SKILLS = 10_000;
/** Concurrent requests. */
const SIDE_BY_SIDE = 8;

/** All skills of the server. An invalid skill becomes a notice; rejects when the server fails. */
export async function findSkills(options: UpstreamSkillsOptions, context: ReadContext): Promise<UpstreamSkills> {
  const { channel, capabilities, origin, group } = options;
  const { extensions } = capabilities;
  const declared = isFields(extensions) && isFields(extensions[EXTENSION]);
  const entries = (declared ? await listAll(channel, 'skills/list', 'skills', context) : undefined) ?? [];
  const published = fromEntries(entries.slice(0, MOST_SKILLS));
  // Skills that the extension cannot carry may be resources, but not those that were refused above.
  const listed = await findListed(options, published.known, context);
  const count = Math.max(entries.length, listed.count);
  const publisher = publisherOf(options, context);
  return {
    skills: [...published.found, ...listed.found].map(({ published, folder }) => new UpstreamSkill(published, folder, publisher)),
    notices: [
      ...(count > MOST_SKILLS ? [refused(origin, refusals.tooManySkills(count, MOST_SKILLS))] : []),
      ...[...published.found, ...listed.found].flatMap(({ notices }) => notices),
      ...published.notices,
      ...listed.notices,
    ].map((notice) => asSeen(notice, group)),
  };
}

function fromEntries(entries: readonly Fields[]): { found: Found[]; notices: Notice[]; known: ReadonlySet<string> } {
  const found: Found[] = [];
  const notices: Notice[] = [];
  const known = new Set<string>();
  const repeated = new Set<string>();
  for (const entry of entries) {
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
      found.push(fromEntry(entry));
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
  const { candidates, notices } = findCandidates([...resources, ...('rule' in indexed ? [] : indexed)], known);
  const waiting = candidates.slice(0, MOST_SKILLS).entries();
  const looked: (Found | Notice)[] = [];
  const look = async () => {
    for (const [index, candidate] of waiting) looked[index] = await lookAt(channel, candidate, context);
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
