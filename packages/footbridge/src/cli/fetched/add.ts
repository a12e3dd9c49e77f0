/** `footbridge add` and `footbridge remove`. */
import { parseSource } from '../../sources/fetched/kinds.js';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import { type Consent, consent, refusalFields } from '../asking.js';
import type { Io } from '../io.js';
import { plain, plural } from '../terminal.js';
import { type SourceOptions, withFetcher } from './acquiring.js';
import { configuredAt, findSource } from './configured.js';
import { type SourcesPlace, sourcesPlace } from './place.js';
import type { PluginServerOptions } from './servers.js';

interface AddOptions extends SourceOptions, Pick<PluginServerOptions, 'servers' | 'accept'> {
  readonly skill?: readonly string[];
}

/** Fetches a source, shows it, and writes it to `footbridge.json` and the lock after a question. */
export async function add(specification: string, options: AddOptions, io: Io): Promise<number> {
  const place = sourcesPlace(options, io);
  const only = options.skill ?? [];
  const { kind } = parseSource(specification);
  await configuredAt(place, io);
  return withFetcher(place, { ...options, isNamed: true }, io, async ({ newest, store }) => {
    // What comes later is loaded while it is fetched.
    const [acquired, { lockedOf }, { printSourceReport, reportOf }, { offeredServers, offerServers }] = await Promise.all([
      newest(specification, only, undefined, options.servers === true),
      import('./locked.js'),
      import('./report.js'),
      import('./servers.js'),
    ]);
    const locked = lockedOf(specification, kind, acquired);
    const report = await reportOf(locked, acquired, store);
    const offered = options.servers === true ? offeredServers(acquired.plugins.servers, place, io) : undefined;
    if (options.json !== true) printSourceReport(report, io);
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
  const source = await sourceNamed(name, place, io);
  const [{ aloneAt, changeLocked }, { removeSource }] = await Promise.all([import('./locked.js'), import('./edit-config.js')]);
  await aloneAt(place, io, async () => {
    await removeSource(place, source, io);
    await changeLocked(place, (sources) => sources.filter((each) => each.source !== source));
  });
  if (options.json === true) io.printJson({ file: place.file, removed: source });
  else io.print(`Removed ${plain(source)} from ${plain(place.file)}`);
  return 0;
}

async function sourceNamed(name: string, place: SourcesPlace, io: Io): Promise<string> {
  const { lockedSourcesAt } = await import('./locked.js');
  const [configured, locked] = await Promise.all([configuredAt(place, io), lockedSourcesAt(place)]);
  return findSource(name, configured, locked).source;
}
