/** The skills that an MCP server behind us publishes, through the Skills extension or in the shapes before it. */
import { echo, FootbridgeError } from '../../../errors.js';
import { type Fields, isFields } from '../../../json.js';
import { encodeSegment } from '../../../uri-segment.js';
import type { ReadContext } from '../../resource.js';
import { type Channel, listAll, ServerError } from '../../server/channel.js';
import { type Notice, SKILL_FILE, type Skill } from '../../source.js';
import { type Found, fromEntry } from './entry.js';
import { type Candidate, findCandidates, fromListed, type Listed, readIndex } from './listed.js';
import { folderOf, placeKey } from './place.js';
import { Refusal, refusals, refused } from './refusal.js';
import { type Publisher, publisherOf, UpstreamSkill } from './upstream-skill.js';

export interface UpstreamSkillsOptions extends Omit<Publisher, 'context'> {
  /** What the server lists, verbatim. */
  readonly resources: readonly Listed[];
  /** What the server declares. */
  readonly capabilities: Fields;
}

/** Skills, and what a person should know about those that are refused or odd. */
export interface UpstreamSkills {
  readonly skills: readonly Skill[];
  readonly notices: readonly Notice[];
}

const EXTENSION = 'io.modelcontextprotocol/skills';
/** A server that lists more skills is not followed further. */
const MOST_SKILLS = 10_000;
/** Requests to the server at the same time. */
const SIDE_BY_SIDE = 8;

/** All skills of the server. Rejects when the server cannot be asked; a skill that is wrong becomes a notice. */
export async function findSkills(options: UpstreamSkillsOptions, context: ReadContext): Promise<UpstreamSkills> {
  const { channel, capabilities, origin, group } = options;
  const { extensions } = capabilities;
  const declared = isFields(extensions) && isFields(extensions[EXTENSION]);
  const entries = (declared ? await listAll(channel, 'skills/list', 'skills', context) : undefined) ?? [];
  const published = fromEntries(entries.slice(0, MOST_SKILLS));
  // What the extension cannot carry is still a resource; but what was refused there does not come in by this door.
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
    const key = folder === undefined ? undefined : placeKey(folder);
    if (key !== undefined && known.has(key)) {
      if (!repeated.has(key)) notices.push(refused(uri, refusals.listedTwice));
      repeated.add(key);
      continue;
    }
    if (key !== undefined) known.add(key);
    try {
      found.push(fromEntry(entry));
    } catch (cause) {
      // What else can be thrown comes of data that is nested beyond all measure.
      notices.push(refused(uri, cause instanceof Refusal ? cause.reason : refusals.badEntry('it cannot be read')));
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

function lookAt(channel: Channel, candidate: Candidate, context: ReadContext): Promise<Found | Notice> {
  return orNotice(candidate.listed.uri, () => fromListed(channel, candidate, context));
}

/** What is wrong with one skill is no reason to do without the others; that the server is gone is. */
async function orNotice<T>(uri: string, find: () => Promise<T>): Promise<T | Notice> {
  try {
    return await find();
  } catch (cause) {
    if (cause instanceof Refusal) return refused(uri, cause.reason);
    if (cause instanceof FootbridgeError || cause instanceof ServerError) return refused(uri, refusals.unreadable(cause.message));
    throw cause;
  }
}

/** A notice under the URI that hosts see, which says whose skill it is where there are several servers. */
function asSeen(notice: Notice, group: readonly string[]): Notice {
  const folder = group.length === 0 ? undefined : folderOf(notice.file);
  if (folder === undefined) return notice;
  return { ...notice, file: echo(`skill://${[...group, ...folder.segments, SKILL_FILE].map(encodeSegment).join('/')}`) };
}
