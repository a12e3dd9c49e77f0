/** The format of `footbridge.lock`, written and parsed. */
import * as z from 'zod/v4';
import { echo } from '../../errors.js';
import { type Fields, isDeep, isFields } from '../../json.js';
import { type LockedSource, parseSources } from '../../sources/fetched/locked-sources.js';
import { digestOf } from '../../sources/skills/digest.js';
import { compareText, type EntryKind, LIST_NAMES, LISTS } from '../surface/canonical.js';
import { visibleJson } from '../terminal.js';

const VERSION = 1;

export type ListingKind = EntryKind | 'instructions';

const KINDS: readonly ListingKind[] = [...LIST_NAMES.map((name) => LISTS[name].kind), 'instructions'];

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'Invalid digest.');
const size = z.int().min(0);

const LockSchema = z.strictObject({
  lockVersion: z.literal(VERSION),
  /** `project` leaves out skills outside the project; `sources` has only those that were fetched. */
  scope: z.enum(['all', 'project', 'sources']),
  /** Sorted by URI, as are their files. */
  skills: z.array(
    z.strictObject({
      /** Of its folder. */
      uri: z.string().startsWith('skill://'),
      origin: z.string(),
      description: z.string(),
      files: z.array(z.strictObject({ uri: z.string(), digest, size })),
    }),
  ),
  /** Sorted by kind, name and origin. */
  listings: z.array(
    z.strictObject({
      kind: z.enum(KINDS),
      /** Its name, URI or URI template; for instructions, the name of the server. */
      name: z.string(),
      origin: z.string(),
      /** Of the canonical form. */
      digest,
      size,
      entry: z.custom<Fields>(isFields),
    }),
  ),
  /** Checked on their own, because a start reads them without a schema. */
  sources: z.array(z.unknown()).exactOptional(),
});

export type Lock = Readonly<Omit<z.infer<typeof LockSchema>, 'lockVersion' | 'sources'>> & {
  /** What was fetched, in the order of the file. */
  readonly sources: readonly LockedSource[];
};
export type LockScope = Lock['scope'];
export type LockedSkillEntry = Readonly<Lock['skills'][number]>;
export type LockedFileEntry = Readonly<LockedSkillEntry['files'][number]>;
export type LockedListing = Readonly<Lock['listings'][number]>;

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

/** Throws a `LockError` with the position of the problem. */
export function parseLock(text: string, file: string): Lock {
  if (isDeep(text)) throw refused(file, 'it is nested too deeply');
  const value = parsed(text, file);
  const version = isFields(value) ? value['lockVersion'] : undefined;
  if (typeof version === 'number' && version > VERSION)
    throw new LockError(`${file} was written by a newer version of footbridge (lockVersion ${version}).`, 'Update footbridge.', true);
  const checked = LockSchema.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw refused(file, `${placeText(issue?.path ?? [])}: ${issue?.message ?? 'it is not a lock'}`);
  }
  const { scope, skills, listings } = checked.data;
  checkSkills(skills, file);
  listings.forEach(({ kind, name, origin, entry, ...recorded }, index) => {
    const real = listingOf(kind, name, origin, entry);
    if (real.digest !== recorded.digest || real.size !== recorded.size)
      throw refused(file, `listings[${index}]: its digest or size does not match its entry`);
  });
  return { scope, skills, listings, sources: sourcesIn(checked.data.sources, file) };
}

function sourcesIn(value: unknown, file: string): readonly LockedSource[] {
  try {
    return parseSources(value);
  } catch (cause) {
    throw refused(file, cause instanceof Error ? echo(cause.message) : 'its sources are invalid');
  }
}

function checkSkills(skills: readonly LockedSkillEntry[], file: string): void {
  const uris = new Set<string>();
  const claim = (uri: string, place: string) => {
    if (uris.has(uri)) throw refused(file, `${place}: '${echo(uri)}' is listed twice`);
    uris.add(uri);
  };
  skills.forEach((skill, index) => {
    claim(skill.uri, `skills[${index}].uri`);
    skill.files.forEach(({ uri }, at) => {
      const place = `skills[${index}].files[${at}].uri`;
      if (!uri.startsWith(`${skill.uri}/`) || /%(?![0-9A-Fa-f]{2})/.test(uri)) throw refused(file, `${place}: not a file of this skill`);
      claim(uri, place);
    });
  });
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    const conflict = /^<{7} /m.test(text);
    throw refused(file, conflict ? 'it contains a merge conflict' : `it is not JSON: ${cause instanceof Error ? echo(cause.message) : ''}`);
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
