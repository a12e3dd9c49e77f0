/** What `list`, `search`, `show` and `read` do. */
import type { Catalog } from '../catalog/catalog.js';
import { nearestSkills, nearSkills } from '../catalog/near-skills.js';
import { findUnreadable, unavailableSkill } from '../catalog/not-found.js';
import type { SearchedResource } from '../catalog/search/searched.js';
import { callName } from '../catalog/snapshot.js';
import { FootbridgeError } from '../errors.js';
import { skillUri } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { CommandError } from './failure.js';
import { fromHome } from './folders.js';
import type { Io } from './io.js';
import { type CommonOptions, withCatalog } from './options.js';
import { withProgress } from './progress.js';
import { grouped, plain, plural, tokens } from './terminal.js';

/** Suggestions for models. People get commands instead. */
const NAMES_A_TOOL = /\b(?:list_skills|get_skill|get_resources?|get_prompt)\b|non-empty/;
const SEE_ALL = 'See all skills with: footbridge list, and all resources with: footbridge surface';

interface ListOptions extends CommonOptions {
  readonly long?: boolean;
}

/** Skills that a search shows. */
const BEST = 10;

export async function list(options: ListOptions, io: Io): Promise<number> {
  return withCatalog(options, io, async (catalog) => {
    printSkills(catalog, catalog.snapshot.skills, options, io);
    return 0;
  });
}

export async function search(words: readonly string[], options: ListOptions, io: Io): Promise<number> {
  return withCatalog(options, io, async (catalog) => {
    const { searchAll } = await import('../catalog/search/index.js');
    const { isSearchedResource, isSearchedSkill } = await import('../catalog/search/searched.js');
    const find = () => searchAll(catalog, words.join(' '), { complete: true });
    const found = (await withProgress('searching…', find, io)).slice(0, BEST);
    const [skills, resources] = [
      found.filter(isSearchedSkill),
      found.filter(isSearchedResource).map((each) => foundResource(catalog, each)),
    ];
    if (options.json === true) io.printJson({ skills: skills.map((skill) => describe(catalog, skill)), resources });
    else {
      if (skills.length > 0 || resources.length === 0) printSkills(catalog, skills, options, io);
      if (resources.length > 0) printResources(resources, skills.length > 0, io);
    }
    return found.length === 0 ? 1 : 0;
  });
}

export async function show(name: string, options: CommonOptions, io: Io): Promise<number> {
  return withCatalog(options, io, async (catalog) => {
    const skill = catalog.findSkill(name);
    const unreadable = skill === undefined ? findUnreadable(catalog.snapshot, name) : undefined;
    if (unreadable !== undefined) {
      const { message, suggestedActions } = unavailableSkill(unreadable);
      throw new CommandError('failed', message, suggestedActions);
    }
    if (skill === undefined) throw new CommandError('not-found', `Skill '${name}' not found.`, await suggestName(catalog, name));
    const { listed, text } = await withProgress(
      `reading ${plain(skill.name)}…`,
      async () => {
        const { bytes } = await catalog.readSkill(skill);
        return { text: Buffer.from(bytes).toString('utf8'), listed: (await skill.manifest())?.files };
      },
      io,
    );
    const files = listed === 'dynamic' ? undefined : listed?.map(({ path, size }) => ({ uri: skillUri(skill, path), size }));
    if (options.json === true) {
      io.printJson({
        ...describe(catalog, skill),
        directory: skill.directory,
        conforms: skill.conforms,
        tokens: tokens(text),
        files: files ?? null,
        text,
      });
      return 0;
    }
    const { colors } = io;
    io.print(`${colors.bold(plain(skill.name))}  ${colors.dim(`${skill.location}, ${skill.origin}, ≈${tokens(text)} tokens`)}`);
    for (const file of files ?? []) io.print(`  ${colors.cyan(file.uri)}${colors.dim(`  ${plural(file.size, 'byte')}`)}`);
    if (listed === undefined) io.print(colors.dim('  Its files exceed the limits. See: footbridge lint'));
    io.print('');
    io.stdout.write(text);
    return 0;
  });
}

export async function read(uri: string, options: CommonOptions, io: Io): Promise<number> {
  return withCatalog(options, io, async (catalog) => {
    try {
      const { contents } = await withProgress(`reading ${plain(uri)}…`, () => catalog.read(uri.trim()), io);
      if (options.json === true) io.printJson({ uri: uri.trim(), contents });
      else for (const content of contents) io.stdout.write('text' in content ? content.text : Buffer.from(content.blob, 'base64'));
      return 0;
    } catch (error) {
      if (!(error instanceof FootbridgeError)) throw error;
      // Commands replace the suggested tools.
      const actions = error.suggestedActions.filter((action) => !NAMES_A_TOOL.test(action));
      const meant = skillsMeant(catalog, uri.trim());
      const hint = meant.length === 0 ? [] : [`Did you mean ${meant.map((skill) => skillUri(skill)).join(' or ')}?`];
      const details = error.details === undefined || meant.length > 0 ? [] : [error.details];
      throw new CommandError('not-found', error.message, [...hint, ...details, ...(meant.length === 0 ? actions : []), SEE_ALL]);
    }
  });
}

function printSkills(catalog: Catalog, skills: readonly Skill[], options: ListOptions, io: Io): void {
  if (options.json === true) io.printJson({ skills: skills.map((skill) => describe(catalog, skill)) });
  else if (skills.length === 0) io.print(nothing(catalog));
  else if (options.long === true) printLong(catalog, skills, io);
  else printTable(catalog, skills, io);
}

interface FoundResource {
  /** Of a template, with its variables. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly origin: string | undefined;
}

function foundResource(catalog: Catalog, { description, resource, title, uri }: SearchedResource): FoundResource {
  return { uri, name: title, description, origin: catalog.originOf(resource) };
}

function printResources(resources: readonly FoundResource[], followsSkills: boolean, io: Io): void {
  const { colors } = io;
  if (followsSkills) io.print('');
  io.printTable(
    [
      { title: 'RESOURCE', paint: colors.cyan },
      { title: 'FROM', paint: colors.dim },
      { title: 'DESCRIPTION', shrinks: true },
    ],
    resources.map(({ description, name, origin = '', uri }) => [plain(uri), plain(origin), plain(description === '' ? name : description)]),
  );
}

function printTable({ snapshot }: Catalog, skills: readonly Skill[], io: Io): void {
  const { colors } = io;
  io.printTable(
    [
      { title: 'NAME', paint: colors.bold },
      { title: 'FROM', paint: colors.dim },
      { title: 'DESCRIPTION', shrinks: true },
    ],
    skills.map((skill) => [plain(callName(snapshot, skill)), plain(skill.origin), plain(skill.description)]),
  );
  const all = snapshot.skills.length;
  io.print('');
  io.print(skills.length === all ? plural(all, 'skill') : `${plural(skills.length, 'skill')} of ${grouped(all)}`);
}

function printLong({ snapshot }: Catalog, skills: readonly Skill[], io: Io): void {
  const { colors } = io;
  for (const skill of skills) {
    io.print(`${colors.bold(plain(callName(snapshot, skill)))}  ${colors.dim(`${skill.location}, ${skill.origin}`)}`);
    io.print(`  ${plain(skill.description)}`);
    io.print(`  ${colors.cyan(skillUri(skill))}`);
    io.print(`  ${colors.dim(originText(skill, io))}`);
  }
}

function nothing({ snapshot: { notices, skills } }: Catalog): string {
  if (skills.length > 0) return 'No skill matches. See all with: footbridge list';
  return notices.some(({ skipped }) => skipped === true)
    ? 'No skills are served. To find out why, run: footbridge lint'
    : 'No skills found. Create one with footbridge init NAME, or add a folder with --skills DIR.';
}

/** Where it comes from, as precisely as is known. */
function originText({ directory, origin, provenance }: Skill, io: Io): string {
  if (provenance === undefined && directory !== undefined) return io.fileLink(plain(fromHome(directory, io)), directory);
  if (provenance === undefined) return `the server or pack ${plain(origin)}`;
  const { signer, source, version } = provenance;
  return `${plain(source)}  ${plain(version)}, ${signer === undefined ? 'unsigned' : `signed by ${plain(signer)}`}`;
}

function describe(catalog: Catalog, skill: Skill) {
  const { description, location, origin, provenance } = skill;
  const fetched = provenance === undefined ? {} : { provenance };
  return { name: callName(catalog.snapshot, skill), description, uri: skillUri(skill), location, origin, ...fetched };
}

async function suggestName(catalog: Catalog, name: string): Promise<string[]> {
  const near = (await nearSkills(catalog, name)).map((skill) => callName(catalog.snapshot, skill));
  return [...(near.length === 0 ? [] : [`Did you mean ${near.join(', ')}?`]), 'See all with: footbridge list'];
}

/** The skills that match a name given instead of a URI. */
function skillsMeant(catalog: Catalog, given: string): readonly Skill[] {
  if (given.includes('://')) return [];
  const name = given.replace(/\/SKILL\.md$/i, '');
  const named = catalog.findSkill(name);
  return named === undefined ? nearestSkills(catalog.snapshot, name) : [named];
}
