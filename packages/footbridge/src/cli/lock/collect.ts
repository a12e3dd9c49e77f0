/** Collects what is served now in the form of a lock. */
import { Catalog } from '../../catalog/catalog.js';
import { reasonOf } from '../../errors.js';
import { silentLog } from '../../log.js';
import { skillRoot, skillUri } from '../../sources/skill-uri.js';
import { type InternalContribution, isUpstreamTool, type Skill, type Source } from '../../sources/source.js';
import { mapSource } from '../../sources/transforms/index.js';
import { digestsOf } from '../../sources/transforms/locked/lock.js';
import type { Io } from '../io.js';
import { askForTrust, type CommonOptions, openSources } from '../options.js';
import { openingSources, type ShowProgress, withProgress } from '../progress.js';
import { checkSkill } from '../skill-problems.js';
import { canonicalList, LISTS, type ListName } from '../surface/canonical.js';
import { grouped, plural } from '../terminal.js';
import { type Lock, type LockedListing, type LockedSkillEntry, type LockScope, listingOf } from './document.js';
import { isPersonal, lockedOrigin } from './file.js';
import { type LockPlace, lockPlace } from './place.js';

/** With problems the lock is incomplete. */
export interface Collected {
  /** Whether packs were not loaded, because the configuration is not trusted. */
  readonly withoutPacks: boolean;
  readonly lock: Lock;
  readonly problems: readonly LockProblem[];
}

export interface LockProblem {
  readonly place: string;
  /** Set if it is a server. */
  readonly server?: string;
  readonly message: string;
  readonly action: string;
}

type ScopeAt = (place: LockPlace) => Promise<LockScope | undefined>;

/** `scopeAt` chooses the scope for the lock at that place; undefined stops before anything is read. */
export async function collect(options: CommonOptions, io: Io, scopeAt: ScopeAt): Promise<Collected | undefined> {
  await askForTrust(options, io);
  return withProgress('opening…', (show) => collectAll(options, io, scopeAt, show), io);
}

async function collectAll(options: CommonOptions, io: Io, scopeAt: ScopeAt, show: ShowProgress): Promise<Collected | undefined> {
  const opened = await openSources(options, { watch: false, asFound: true, log: silentLog, progress: openingSources(show) }, io);
  try {
    const place = lockPlace(opened.config, io.cwd);
    const scope = await scopeAt(place);
    if (scope === undefined) return undefined;
    if (scope === 'sources') return { lock: { scope, skills: [], listings: [], sources: [] }, problems: [], withoutPacks: false };
    const contributions = new Map<Source, InternalContribution>();
    const record = (source: Source) =>
      mapSource(source, (next) => {
        contributions.set(source, next);
        return next;
      });
    const catalog = await Catalog.open(opened.sources.map(record));
    await opened.listed();
    const action = opened.config.untrusted === undefined ? 'Start it, or correct its entry.' : '';
    const unreached = [...(await opened.complete())].map(([name, message]) => unreachable(name, message, action));
    const skills = await skillsOf(catalog, place, scope, show);
    return {
      lock: {
        scope,
        skills: skills.entries,
        listings: [...listingsOf(catalog, contributions), ...(await instructionsOf(catalog))],
        sources: [],
      },
      problems: [...unreached, ...skills.problems],
      withoutPacks: (opened.config.untrusted?.packs.length ?? 0) > 0,
    };
  } finally {
    await opened.end();
  }
}

async function skillsOf(catalog: Catalog, place: LockPlace, scope: LockScope, show: ShowProgress) {
  const entries: LockedSkillEntry[] = [];
  const problems: LockProblem[] = [];
  const { skills } = catalog.snapshot;
  for (const [index, skill] of skills.entries()) {
    show(`reading… ${grouped(index)} of ${plural(skills.length, 'skill')}`);
    // Those that were fetched are locked with their source.
    if (skill.provenance !== undefined || (scope === 'project' && isPersonal(skill, place))) continue;
    try {
      const { notices } = await checkSkill(catalog, skill);
      for (const { file, message, action, skipped } of notices) if (skipped === true) problems.push({ place: file, message, action });
      entries.push(await entryOf(skill, place));
    } catch (cause) {
      problems.push({ place: skillUri(skill), message: `It cannot be read: ${reasonOf(cause)}`, action: 'See footbridge lint.' });
    }
  }
  return { entries, problems };
}

async function entryOf(skill: Skill, place: LockPlace): Promise<LockedSkillEntry> {
  const files = (await digestsOf(skill)).map(({ path, digest, size }) => ({ uri: skillUri(skill, path), digest, size }));
  return { uri: skillRoot(skill), origin: lockedOrigin(skill, place), description: skill.description, files };
}

/** Listings of servers, packs and code. Our own tools are not included: they change with each version. */
function listingsOf(catalog: Catalog, contributions: ReadonlyMap<Source, InternalContribution>): readonly LockedListing[] {
  const { prompts, resources, templates, tools } = catalog.snapshot;
  const defined = new Map([...contributions].flatMap(([{ name }, { tools: own = [] }]) => own.map((tool) => [tool, name] as const)));
  const listed = (name: ListName, origin: string, entry: unknown) =>
    (canonicalList(name, [entry]) ?? []).map(({ key, fields }) => listingOf(LISTS[name].kind, key, origin, fields));
  return [
    ...tools.flatMap((tool) => listed('tools', isUpstreamTool(tool) ? tool.upstream.name : (defined.get(tool) ?? ''), tool.entry)),
    ...resources.flatMap((resource) => listed('resources', catalog.originOf(resource) ?? '', resource.entry)),
    ...templates.flatMap((template) => listed('resourceTemplates', catalog.originOf(template) ?? '', template.entry)),
    ...prompts.flatMap((prompt) => listed('prompts', prompt.upstream.name, prompt.entry)),
  ];
}

async function instructionsOf({ snapshot }: Catalog): Promise<readonly LockedListing[]> {
  const handshakes = snapshot.upstreams.map(async (upstream) => [upstream.name, (await upstream.handshake())?.instructions] as const);
  return (await Promise.all(handshakes)).flatMap(([name, text]) =>
    text === undefined ? [] : [listingOf('instructions', name, name, { text })],
  );
}

function unreachable(name: string, reason: string, action: string): LockProblem {
  return {
    place: `server ${name}`,
    server: name,
    message: `Its content could not be listed. ${reason}`,
    action,
  };
}
