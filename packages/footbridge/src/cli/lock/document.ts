/** The format of `footbridge.lock`, written and parsed. */
import * as z from 'zod/v4';
import { echo } from '../../errors.js';
import { DEEPEST, type Fields, isFields, weightOf } from '../../json.js';
import { LARGE_JSON, parseInTurns } from '../../json-turns.js';
import { type LockedSource, sourcesSteps } from '../../sources/fetched/locked-sources.js';
import { digestOf } from '../../sources/skills/digest.js';
import { inTurns } from '../../turns.js';
import { compareText, type EntryKind, LIST_NAMES, LISTS } from '../surface/canonical.js';
import { visibleJson } from '../terminal.js';

const VERSION = 1;

export type ListingKind = EntryKind | 'instructions';

const KINDS: readonly ListingKind[] = [...LIST_NAMES.map((name) => LISTS[name].kind), 'instructions'];

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'Invalid digest.');
const size = z.int().min(0);

/** A list whose items are checked one by one: a lock may come with a project, and have any size. */
const items = z.custom<readonly unknown[]>(Array.isArray, 'Invalid input: expected array');

const LockSchema = z.strictObject({
  lockVersion: z.literal(VERSION),
  /** `project` leaves out skills outside the project; `sources` has only those that were fetched. */
  scope: z.enum(['all', 'project', 'sources']),
  /** Sorted by URI, as are their files. */
  skills: items,
  /** Sorted by kind, name and origin. */
  listings: items,
  /** Checked on their own, because a start reads them without a schema. */
  sources: z.unknown().optional(),
});

const SkillSchema = z.strictObject({
  /** Of its folder. */
  uri: z.string().startsWith('skill://'),
  origin: z.string(),
  description: z.string(),
  files: items,
});

const FileSchema = z.strictObject({ uri: z.string(), digest, size });

const ListingSchema = z.strictObject({
  kind: z.enum(KINDS),
  /** Its name, URI or URI template; for instructions, the name of the server. */
  name: z.string(),
  origin: z.string(),
  /** Of the canonical form. */
  digest,
  size,
  entry: z.custom<Fields>(isFields),
});

export interface Lock {
  readonly scope: z.infer<typeof LockSchema>['scope'];
  readonly skills: readonly LockedSkillEntry[];
  readonly listings: readonly LockedListing[];
  /** What was fetched, in the order of the file. */
  readonly sources: readonly LockedSource[];
}
export type LockScope = Lock['scope'];
export type LockedFileEntry = Readonly<z.infer<typeof FileSchema>>;
export type LockedSkillEntry = Readonly<Omit<z.infer<typeof SkillSchema>, 'files'>> & { readonly files: readonly LockedFileEntry[] };
export type LockedListing = Readonly<z.infer<typeof ListingSchema>>;

/** An invalid lock: the problem, and what to do. */
export class LockError extends Error {
  override readonly name = 'LockError';

  constructor(
    message: string,
    readonly action: string,
    /** Written by a newer version, so it must not be replaced. */
    readonly isNewer = false,
  ) {
    super(message);
  }
}

/** `entry` must be in canonical form. */
export function listingOf(kind: ListingKind, name: string, origin: string, entry: Fields): LockedListing {
  const text = JSON.stringify(entry);
  return { kind, name, origin, digest: digestOf(text), size: Buffer.byteLength(text), entry };
}

/** The same bytes for the same content, in any order. */
export function lockText({ scope, skills, listings, sources }: Lock): string {
  const blocks = [
    `  "lockVersion": ${VERSION}`,
    `  "scope": ${visibleJson(scope)}`,
    `  "skills": ${list(byUri(skills).map(skillText), '  ')}`,
    `  "listings": ${list([...listings].sort(compareListings).map(listingText), '  ')}`,
    ...(sources.length === 0 ? [] : [`  "sources": ${list(bySource(sources).map(sourceText), '  ')}`]),
  ];
  return `{\n${blocks.join(',\n')}\n}\n`;
}

function skillText({ uri, origin, description, files }: LockedSkillEntry): string {
  const lines = byUri(files).map(
    (file) => `{ "uri": ${visibleJson(file.uri)}, "digest": ${visibleJson(file.digest)}, "size": ${file.size} }`,
  );
  return `{
      "uri": ${visibleJson(uri)},
      "origin": ${visibleJson(origin)},
      "description": ${visibleJson(description)},
      "files": ${list(lines, '      ')}
    }`;
}

function sourceText({ content, kind, promised, resolved, signer, skills, source, version }: LockedSource): string {
  const fields = {
    source,
    kind,
    version,
    resolved: Object.fromEntries(Object.entries(resolved).sort(([one], [other]) => compareText(one, other))),
    ...(promised === undefined ? {} : { promised }),
    ...(signer === undefined ? {} : { signer }),
    content,
  };
  const lines = Object.entries(fields).map(([name, value]) => `      "${name}": ${visibleJson(value)}`);
  return `{\n${lines.join(',\n')},\n      "skills": ${list(skills.map(fetchedSkillText), '      ')}\n    }`;
}

function fetchedSkillText({ description, files, folder, name }: LockedSource['skills'][number]): string {
  const lines = files.map(({ digest, executable, path, size }) =>
    visibleJson({ path, digest, size, ...(executable === true ? { executable } : {}) }),
  );
  return `{
          "folder": ${visibleJson(folder)},
          "name": ${visibleJson(name)},
          "description": ${visibleJson(description)},
          "files": ${list(lines, '          ')}
        }`;
}

function bySource(sources: readonly LockedSource[]): readonly LockedSource[] {
  return [...sources].sort((one, other) => compareText(one.source, other.source));
}

function listingText({ kind, name, origin, digest, size, entry }: LockedListing): string {
  return `{
      "kind": ${visibleJson(kind)},
      "name": ${visibleJson(name)},
      "origin": ${visibleJson(origin)},
      "digest": ${visibleJson(digest)},
      "size": ${size},
      "entry": ${visibleJson(entry)}
    }`;
}

function list(items: readonly string[], indent: string): string {
  return items.length === 0 ? '[]' : `[\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}]`;
}

function byUri<T extends { readonly uri: string }>(entries: readonly T[]): readonly T[] {
  return [...entries].sort((one, other) => compareText(one.uri, other.uri));
}

function compareListings(one: LockedListing, other: LockedListing): number {
  return (
    KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
    compareText(one.name, other.name) ||
    compareText(one.origin, other.origin) ||
    compareText(one.digest, other.digest)
  );
}

/** Rejects with a `LockError` that has the position of the problem. */
export async function parseLock(text: string, file: string): Promise<Lock> {
  const value = await parsed(text, file);
  const version = isFields(value) ? value['lockVersion'] : undefined;
  if (typeof version === 'number' && version > VERSION)
    throw new LockError(`${file} was written by a newer version of footbridge (lockVersion ${version}).`, 'Update footbridge.', true);
  return inTurns(lockSteps(value, file));
}

function* lockSteps(value: unknown, file: string): Generator<void, Lock> {
  const { listings, scope, skills, sources } = checked(LockSchema, value, [], file);
  return {
    scope,
    skills: yield* skillSteps(skills, file),
    listings: yield* listingSteps(listings, file),
    sources: yield* sourceSteps(sources, file),
  };
}

function checked<T>(schema: z.ZodType<T>, value: unknown, place: readonly PropertyKey[], file: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refused(file, `${placeText([...place, ...(issue?.path ?? [])])}: ${issue?.message ?? 'it is not a lock'}`);
}

function* skillSteps(entries: readonly unknown[], file: string): Generator<void, readonly LockedSkillEntry[]> {
  const uris = new Set<string>();
  const claim = (uri: string, place: string) => {
    if (uris.has(uri)) throw refused(file, `${place}: '${echo(uri)}' is listed twice`);
    uris.add(uri);
  };
  const skills: LockedSkillEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const skill = checked(SkillSchema, entry, ['skills', index], file);
    claim(skill.uri, `skills[${index}].uri`);
    const files: LockedFileEntry[] = [];
    for (const [at, each] of skill.files.entries()) {
      const own = checked(FileSchema, each, ['skills', index, 'files', at], file);
      const place = `skills[${index}].files[${at}].uri`;
      if (!own.uri.startsWith(`${skill.uri}/`) || /%(?![0-9A-Fa-f]{2})/.test(own.uri))
        throw refused(file, `${place}: not a file of this skill`);
      claim(own.uri, place);
      files.push(own);
      yield;
    }
    skills.push({ ...skill, files });
    yield;
  }
  return skills;
}

/** The maximum size of an entry of a server. */
const HEAVIEST = 32 * 1024 * 1024;

function* listingSteps(entries: readonly unknown[], file: string): Generator<void, readonly LockedListing[]> {
  const listings: LockedListing[] = [];
  for (const [index, each] of entries.entries()) {
    const listing = checked(ListingSchema, each, ['listings', index], file);
    const { entry, kind, name, origin } = listing;
    if (weightOf(entry, HEAVIEST) > HEAVIEST) throw refused(file, `listings[${index}]: its entry is too large`);
    const real = listingOf(kind, name, origin, entry);
    if (real.digest !== listing.digest || real.size !== listing.size)
      throw refused(file, `listings[${index}]: its digest or size does not match its entry`);
    listings.push(listing);
    yield;
  }
  return listings;
}

function* sourceSteps(value: unknown, file: string): Generator<void, readonly LockedSource[]> {
  try {
    return yield* sourcesSteps(value);
  } catch (cause) {
    throw refused(file, cause instanceof Error ? echo(cause.message) : 'its sources are invalid');
  }
}

/** A lock of 10,000 skills has half of them. */
const MAX_VALUES = 2_000_000;

async function parsed(given: string, file: string): Promise<unknown> {
  const text = given.replace(/^\uFEFF/, '');
  const limits = { values: MAX_VALUES, depth: DEEPEST };
  const read = await parseInTurns(text, limits);
  if ('value' in read) return read.value;
  if (read.problem === 'deep') throw refused(file, 'it is nested too deeply');
  if (read.problem === 'values') throw refused(file, 'it has too many values');
  if (`\n${text}`.includes('\n<<<<<<< ')) throw refused(file, 'it contains a merge conflict');
  throw refused(file, `it is not JSON: ${text.length > LARGE_JSON ? '' : syntaxProblem(text)}`.replace(/: $/, ''));
}

function syntaxProblem(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (cause) {
    return cause instanceof Error ? echo(cause.message) : '';
  }
}

function placeText(path: readonly PropertyKey[]): string {
  const name = path.reduce<string>(
    (prefix, step) => (typeof step === 'number' ? `${prefix}[${step}]` : `${prefix}.${echo(String(step))}`),
    '',
  );
  return name === '' ? 'the whole' : name.replace(/^\./, '');
}

function refused(file: string, reason: string): LockError {
  return new LockError(
    `${file} cannot be used: ${reason}.`.replace(/\.\.$/, '.'),
    'Restore it, or review what is served and run: footbridge lock',
  );
}
