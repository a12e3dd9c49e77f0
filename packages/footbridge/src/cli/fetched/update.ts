/** `footbridge outdated`, `footbridge update` and `footbridge fetch`. */

import { FetchError } from '../../sources/fetched/fetch-error.js';
import type { Resolved } from '../../sources/fetched/kind.js';
import { parseSource } from '../../sources/fetched/kinds.js';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import { consent, refusalFields } from '../asking.js';
import type { ConfiguredSource } from '../config/index.js';
import { isSameValue } from '../install/text/index.js';
import type { Io } from '../io.js';
import { plain, plural } from '../terminal.js';
import { type Fetcher, type SourceOptions, withFetcher } from './acquiring.js';
import { fetchableAt, findSource, requireReview } from './configured.js';
import { changesBetween, type SkillChange } from './diff.js';
import { aloneAt, changeLocked, lockedOf, lockedSourcesAt, withSource } from './locked.js';
import { type SourcesPlace, sourcesPlace } from './place.js';
import { fullCommand, printChanges } from './print-changes.js';

interface UpdateOptions extends SourceOptions {
  readonly dryRun?: boolean;
  /** Shows every line that changes, and puts them into JSON. */
  readonly full?: boolean;
}

/** What an update of one source would change. */
type Outcome =
  | { readonly state: 'current'; readonly source: string; readonly version: string }
  | {
      readonly state: 'changed';
      readonly source: string;
      readonly from: string | null;
      readonly version: string;
      readonly changes: readonly SkillChange[];
      readonly next: LockedSource;
    }
  | { readonly state: 'refused'; readonly source: string; readonly message: string; readonly action: string };

/** Returns 1 if something is outdated or cannot be checked. */
export async function outdated(options: SourceOptions, io: Io): Promise<number> {
  const place = sourcesPlace(options, io);
  const outcomes = await eachSource(undefined, place, { ...options, isKept: false }, io);
  const shown = outcomes.map((each) => withoutContent(each, false));
  if (options.json === true) io.printJson({ sources: shown });
  else for (const each of outcomes) io.print(line(each, io));
  if (options.json !== true && outcomes.length === 0) io.print(noSources(place));
  return outcomes.every(({ state }) => state === 'current') ? 0 : 1;
}

/** Returns 1 if a source was refused, or nothing was written although something has changed. */
export async function update(name: string | undefined, options: UpdateOptions, io: Io): Promise<number> {
  const place = sourcesPlace(options, io);
  await requireReview(place, io);
  const outcomes = await eachSource(name, place, options, io);
  const changed = outcomes.filter((each) => each.state === 'changed');
  const isFull = options.full === true;
  const command = fullCommand(['update', ...(name === undefined ? [] : [name]), '--dry-run'], options);
  if (options.json !== true)
    for (const each of outcomes) {
      io.print(line(each, io));
      if (each.state === 'changed') printChanges(each.changes, { command, isFull }, io);
    }
  if (options.json !== true && outcomes.length === 0) io.print(noSources(place));
  const isRefused = outcomes.some(({ state }) => state === 'refused');
  const isWanted = changed.length > 0 && options.dryRun !== true;
  const answer = isWanted ? await consent(`Update ${plural(changed.length, 'source')}?`, options, io) : undefined;
  const written = answer?.given === true;
  if (written)
    await aloneAt(place, io, () => changeLocked(place, (sources) => changed.reduce((all, { next }) => withSource(all, next), sources)));
  if (options.json === true)
    io.printJson({
      lock: place.lock.file,
      written,
      sources: outcomes.map((each) => withoutContent(each, isFull)),
      ...refusalFields(answer),
    });
  else if (written) io.print(`Updated ${plural(changed.length, 'source')} in ${plain(place.lock.file)}`);
  return isRefused || (isWanted && !written) ? 1 : 0;
}

function noSources({ file }: SourcesPlace): string {
  return `No sources in ${plain(file)}. Add one with: footbridge add SOURCE`;
}

async function eachSource(name: string | undefined, place: SourcesPlace, options: SourceOptions, io: Io): Promise<readonly Outcome[]> {
  const [configured, locked] = await Promise.all([fetchableAt(place, io), lockedSourcesAt(place)]);
  const chosen = name === undefined ? configured : [findSource(name, configured, locked)];
  return withFetcher(place, options, io, async (fetcher) => {
    const outcomes: Outcome[] = [];
    // One after the other, so that the limits hold for all of them together.
    for (const each of chosen)
      outcomes.push(
        await outcomeOf(
          each,
          locked.find(({ source }) => source === each.source),
          fetcher,
        ).catch((cause: unknown) => refused(each, cause)),
      );
    return outcomes;
  });
}

async function outcomeOf({ skills, source }: ConfiguredSource, before: LockedSource | undefined, fetcher: Fetcher): Promise<Outcome> {
  const quick = before === undefined || !isSelection(skills, before) ? undefined : await fetcher.resolve(source);
  if (quick !== undefined && before !== undefined) {
    if (isSameValue(quick.pin, before.resolved)) return { state: 'current', source, version: before.version };
    checkPromise(before, quick);
  }
  const acquired = await fetcher.newest(source, skills, before);
  const next = lockedOf(source, parseSource(source).kind, acquired);
  if (before !== undefined) checkPromise(before, acquired);
  if (before !== undefined && before.content === next.content && isSameValue(before.resolved, next.resolved))
    return { state: 'current', source, version: before.version };
  if (before !== undefined) await fetcher.store.keepTimes(before, next);
  const changes = changesBetween(before, next, fetcher.store);
  return { state: 'changed', source, from: before?.version ?? null, version: next.version, changes, next };
}

/** Whether these are the locked skills; without names, any skills match. */
function isSelection(names: readonly string[], { skills }: LockedSource): boolean {
  const isNamed = ({ folder, name }: { readonly folder: string; readonly name: string }) => names.includes(folder) || names.includes(name);
  return names.length === 0 || (skills.length === names.length && skills.every(isNamed));
}

/** Throws if an immutable version has changed. */
function checkPromise({ promised, resolved, source }: LockedSource, { pin, promised: now }: Resolved): void {
  if (promised === undefined || now !== promised || isSameValue(pin, resolved)) return;
  const what = promised.startsWith('refs/tags/') ? `The tag ${promised.slice('refs/tags/'.length)}` : promised;
  throw new FetchError(
    `${what} has changed since it was locked. It should never change, so this may be an attack.`,
    `Ask its publisher. To review and accept it, run: footbridge add ${source}`,
  );
}

function refused({ source }: ConfiguredSource, cause: unknown): Outcome {
  if (!(cause instanceof FetchError)) throw cause;
  return { state: 'refused', source, message: cause.message, action: cause.action };
}

/** For JSON. */
function withoutContent(outcome: Outcome, isFull: boolean) {
  if (outcome.state !== 'changed') return outcome;
  const { changes, next, ...rest } = outcome;
  const { resolved, signer = null } = next;
  return {
    ...rest,
    resolved,
    signer,
    changes: changes.map(({ files, ...skill }) => ({
      ...skill,
      files: files.map(({ lines, ...file }) => ({ ...file, ...(isFull ? { lines } : {}) })),
    })),
  };
}

function line(outcome: Outcome, { colors }: Io): string {
  const source = colors.bold(plain(outcome.source));
  if (outcome.state === 'current') return `${source}  ${colors.dim(`${plain(outcome.version)}, up to date`)}`;
  if (outcome.state === 'refused') return `${source}  ${colors.red('refused')}: ${plain(outcome.message)}\n  ${plain(outcome.action)}`;
  return `${source}  ${outcome.from === null ? 'not locked' : plain(outcome.from)} → ${colors.green(plain(outcome.version))}`;
}

/** Fetches what is locked and not in the store, exactly as it is locked. Returns 1 if something is refused. */
export async function fetchLocked(options: SourceOptions, io: Io): Promise<number> {
  const place = sourcesPlace(options, io);
  const [configured, locked] = await Promise.all([fetchableAt(place, io), lockedSourcesAt(place)]);
  const unknown = configured.filter(({ source }) => !locked.some((each) => each.source === source));
  const wanted = locked.filter(({ source }) => configured.some((each) => each.source === source));
  const results = await withFetcher(place, options, io, async (fetcher) => {
    const all: FetchResult[] = [];
    for (const each of wanted) all.push(await restored(each, fetcher));
    return all;
  });
  const missing = unknown.map(
    ({ source }): FetchResult => ({
      source,
      state: 'refused',
      message: 'It is not in footbridge.lock.',
      action: `Run: footbridge add ${source}`,
    }),
  );
  const outcome = [...results, ...missing];
  if (options.json === true) io.printJson({ lock: place.lock.file, sources: outcome });
  else for (const each of outcome) io.print(fetchLine(each, io));
  if (options.json !== true && outcome.length === 0) io.print(noSources(place));
  return outcome.some(({ state }) => state === 'refused') ? 1 : 0;
}

type FetchResult =
  | { readonly source: string; readonly state: 'present' | 'fetched'; readonly version: string }
  | { readonly source: string; readonly state: 'refused'; readonly message: string; readonly action: string };

async function restored(locked: LockedSource, { exactly, store }: Fetcher): Promise<FetchResult> {
  const { content, skills, source, version } = locked;
  if (store.has(content) && (await store.isIntact(content, skills))) return { source, state: 'present', version };
  try {
    await exactly(locked);
    return { source, state: 'fetched', version };
  } catch (cause) {
    if (!(cause instanceof FetchError)) throw cause;
    return { source, state: 'refused', message: cause.message, action: cause.action };
  }
}

function fetchLine(result: FetchResult, { colors }: Io): string {
  const source = colors.bold(plain(result.source));
  if (result.state === 'refused') return `${source}  ${colors.red('refused')}: ${plain(result.message)}\n  ${plain(result.action)}`;
  return `${source}  ${plain(result.version)} ${colors.dim(result.state === 'present' ? 'in the store' : 'fetched')}`;
}
