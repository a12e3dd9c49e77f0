/** `footbridge add` and `footbridge remove`. */
import { parseSource } from '../../sources/fetched/kinds.js';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import type { Store } from '../../sources/fetched/store.js';
import { type Consent, consent, refusalFields } from '../asking.js';
import type { Io } from '../io.js';
import { plain, plural } from '../terminal.js';
import { type SourceOptions, withFetcher } from './acquiring.js';
import { configuredAt, findSource } from './configured.js';
import { type SourcesPlace, sourcesPlace } from './place.js';
import type { PluginServerOptions } from './servers.js';

interface AddOptions extends SourceOptions, Pick<PluginServerOptions, 'servers' | 'accept'> {
  readonly skill?: readonly string[];
  /** Shows every line that changes in a source that is added again. */
  readonly full?: boolean;
}

/** How long a fetch runs before the code that follows it is loaded. */
const SOON_MS = 50;

/** Fetches a source, shows it, and writes it to `footbridge.json` and the lock after a question. */
export async function add(specification: string, options: AddOptions, io: Io): Promise<number> {
  const place = sourcesPlace(options, io);
  const only = options.skill ?? [];
  const { kind } = parseSource(specification);
  await configuredAt(place, io);
  return withFetcher(place, { ...options, isNamed: true }, io, async ({ newest, store }) => {
    const later = () => Promise.all([import('./locked.js'), import('./report.js'), import('./servers.js'), import('./edit-config.js')]);
    // Runs during the fetch. An error is thrown again below.
    const early = setTimeout(() => void later().catch(() => {}), SOON_MS);
    const acquired = await newest(specification, only, undefined, options.servers === true).finally(() => clearTimeout(early));
    const [{ lockedOf, lockedSourcesAt }, { printSourceReport, reportOf }, { offeredServers, offerServers }] = await later();
    const locked = lockedOf(specification, kind, acquired);
    const report = await reportOf(locked, acquired, store);
    const offered = options.servers === true ? offeredServers(acquired.plugins.servers, place, io) : undefined;
    const before = (await lockedSourcesAt(place)).find(({ source }) => source === specification);
    if (before !== undefined) await store.keepTimes(before, locked);
    if (options.json !== true) printSourceReport(report, io);
    if (options.json !== true && before !== undefined) await printReplaced(before, locked, store, options, io);
    const hasSkills = report.skills.length > 0;
    const answer = hasSkills ? await consent(`Add it to ${plain(place.file)}?`, options, io) : undefined;
    const written = answer?.given === true;
    if (written) await writeSource(place, locked, only, io);
    if (written && options.json !== true)
      io.print(`Added ${plural(report.skills.length, 'skill')} to ${plain(place.file)}, locked in ${plain(place.lock.file)}`);
    let ofServers: Consent | undefined;
    if (offered !== undefined && (written || !hasSkills)) ofServers = await offerServers(offered, place, options, io);
    const serversWritten = ofServers?.given === true;
    if (options.json === true) {
      const shown = { file: place.file, lock: place.lock.file, written, ...report, ...(offered && { offered, serversWritten }) };
      io.printJson({ ...shown, ...refusalFields(answer), ...refusalFields(ofServers) });
    }
    return written || serversWritten ? 0 : 1;
  });
}

/** An update may have refused a source that is added again, so the changes are shown for review. */
async function printReplaced(before: LockedSource, locked: LockedSource, store: Store, options: AddOptions, io: Io): Promise<void> {
  const [{ changesBetween }, { fullCommand, printChanges }, { signerText }] = await Promise.all([
    import('./diff.js'),
    import('./print-changes.js'),
    import('./report.js'),
  ]);
  const only = options.skill ?? [];
  const words = ['add', locked.source, ...(only.length === 0 ? [] : ['--skill', ...only])];
  io.print(`Locked before: ${plain(before.version)}, ${signerText(before.signer)}. What changes:`);
  const changes = changesBetween(before, locked, store);
  printChanges(changes, { command: fullCommand(words, options), isFull: options.full === true }, io);
}

async function writeSource(place: SourcesPlace, locked: LockedSource, only: readonly string[], io: Io): Promise<void> {
  const [{ aloneAt, changeLocked, withSource }, { addSource }] = await Promise.all([import('./locked.js'), import('./edit-config.js')]);
  return aloneAt(place, io, async () => {
    await addSource(place, only.length === 0 ? locked.source : { source: locked.source, skills: only }, io);
    await changeLocked(place, (sources) => withSource(sources, locked));
  });
}

/** `name` is a specification, or the name of one of its skills. */
export async function remove(name: string, options: SourceOptions, io: Io): Promise<number> {
  const place = sourcesPlace(options, io);
  const { names, source } = await sourceNamed(name, place, io);
  const [{ aloneAt, changeLocked }, { removeSource }] = await Promise.all([import('./locked.js'), import('./edit-config.js')]);
  await aloneAt(place, io, async () => {
    await removeSource(place, source, io);
    await changeLocked(place, (sources) => sources.filter((each) => each.source !== source));
  });
  if (options.json === true) io.printJson({ file: place.file, removed: source, skills: names });
  else
    io.print(
      `Removed ${plain(source)} from ${plain(place.file)}${names.length > 1 ? `, with its ${names.length} skills: ${listOf(names)}` : ''}`,
    );
  return 0;
}

const MAX_NAMES = 10;

function listOf(names: readonly string[]): string {
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `${names.slice(0, MAX_NAMES).map(plain).join(', ')}${rest}`;
}

async function sourceNamed(name: string, place: SourcesPlace, io: Io) {
  const { lockedSourcesAt } = await import('./locked.js');
  const [configured, locked] = await Promise.all([configuredAt(place, io), lockedSourcesAt(place)]);
  const { source } = findSource(name, configured, locked);
  const names = locked.find((each) => each.source === source)?.skills.map((skill) => skill.name) ?? [];
  return { source, names };
}
