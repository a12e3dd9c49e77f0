/** Fetches a source into the store. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { echo } from '../../errors.js';
import type { Evidence, Signer } from './evidence.js';
import { FetchError } from './fetch-error.js';
import type { FetchableSource, FetchSurroundings, Pin, Resolved } from './kind.js';
import { didYouMean, nearNames } from './near-names.js';
import { type PluginContent, pluginsIn } from './plugins/index.js';
import { Staging } from './staging.js';
import type { Store } from './store.js';
import { type FoundSkill, skillsInFiles, treeDigest, type UnusableSkill } from './tree.js';

export interface AcquireOptions {
  readonly store: Store;
  readonly surroundings: FetchSurroundings;
  /** Fetches exactly this. */
  readonly pin?: Pin | undefined;
  /** The digest that the tree must have; anything else is refused. */
  readonly expected?: string;
  /** Names of the requested skills; empty for all. A missing one is an error. */
  readonly only: readonly string[];
  /** Whether the files stay in the store. Default: true. */
  readonly isKept?: boolean;
  /** Whether a source without skills is accepted if its plugins have MCP servers. */
  readonly serversSuffice?: boolean;
  /** Checks the signature and the content before anything is stored; throws a `FetchError` to refuse it. */
  readonly check?: (fetched: CheckedContent) => Promise<Signer | undefined>;
}

/** The argument of `check`. The files of the skills are in the staging area. */
export interface CheckedContent {
  readonly source: FetchableSource;
  readonly evidence: Evidence | undefined;
  readonly skills: readonly FoundSkill[];
  /** A private folder, for example for a copy that a scanner reads. */
  readonly temporary: string;
}

/** A source in the store. */
export interface Acquired extends Resolved {
  /** The digest of the tree. */
  readonly content: string;
  readonly skills: readonly FoundSkill[];
  readonly unusable: readonly UnusableSkill[];
  /** Links and other entries that were left out. */
  readonly skipped: readonly string[];
  readonly signer?: Signer;
  readonly plugins: Pick<PluginContent, 'servers' | 'elsewhere'>;
  /** Skills outside the folders of its plugins, which are used only if they are named. */
  readonly others: readonly string[];
}

/** Throws a `FetchError`; then the store is as it was. */
export function acquire(source: FetchableSource, options: AcquireOptions): Promise<Acquired> {
  const { check, expected, isKept = true, only, pin, serversSuffice, store, surroundings } = options;
  return store.withTemporary(async (temporary) => {
    const [area, work] = [join(temporary, 'staging'), join(temporary, 'work')];
    await Promise.all([mkdir(area, 0o700), mkdir(work, 0o700)]);
    const staging = new Staging(area);
    const { evidence, folder, ...resolved } = await source.fetch({ ...surroundings, pin, staging, temporary: work });
    const { elsewhere, owns, problems, servers } = pluginsIn(staging.files, folder);
    const found = await skillsInFiles(staging.files, source.title);
    const skills = chosen(found.skills, only, owns);
    const unusable = [...found.unusable, ...problems];
    if (skills.length === 0 && !(serversSuffice === true && servers.length > 0)) throw nothingFound(source, unusable, elsewhere);
    if (expected !== undefined && treeDigest(skills) !== expected) throw notAsExpected(source);
    const signer = await check?.({ source, evidence, skills, temporary: work });
    const content = skills.length === 0 || !isKept ? treeDigest(skills) : await store.keep(skills, temporary);
    const isUsed = new Set(skills.map(({ path }) => path));
    return {
      ...resolved,
      content,
      skills,
      unusable,
      skipped: staging.skipped,
      plugins: { servers, elsewhere },
      others: only.length > 0 ? [] : found.skills.flatMap(({ name, path }) => (isUsed.has(path) ? [] : [name])),
      signer,
    };
  });
}

function notAsExpected({ specification }: FetchableSource): FetchError {
  return new FetchError(
    `The files of ${specification} are not those in footbridge.lock.`,
    'Ask its publisher why they changed. To review and accept the change, run: footbridge update',
  );
}

const MAX_LISTED = 30;

/** Named skills, wherever they are; else those of the plugins, if they have any; else all. */
function chosen(skills: readonly FoundSkill[], only: readonly string[], owns: PluginContent['owns']): readonly FoundSkill[] {
  if (only.length === 0) {
    const owned = owns === undefined ? skills : skills.filter(({ path }) => owns(path));
    return owned.length === 0 ? skills : owned;
  }
  // Each skill has its own folder in the tree, while several may share a name.
  const [byFolder, byPath] = [new Map(skills.map((skill) => [skill.folder, skill])), new Map(skills.map((skill) => [skill.path, skill]))];
  const byName = new Map<string, FoundSkill[]>(skills.map(({ name }) => [name, []]));
  for (const skill of skills) byName.get(skill.name)?.push(skill);
  const named = only.map((each) => {
    const skill = byFolder.get(each) ?? byPath.get(each);
    return skill === undefined ? (byName.get(each) ?? []) : [skill];
  });
  const missing = only.filter((_, index) => named[index]?.length === 0);
  if (missing.length > 0) throw unknownSkills(missing, [...byName.keys()]);
  const isNamed = new Set(named.flat());
  return skills.filter((skill) => isNamed.has(skill));
}

function unknownSkills(missing: readonly string[], names: readonly string[]): FetchError {
  const near = new Set(missing.flatMap((each) => nearNames(each, names)));
  const rest = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  return new FetchError(
    `The source has no skill '${missing.map(echo).join("', '")}'.`,
    didYouMean([...near].map(echo), `It has: ${names.slice(0, MAX_LISTED).map(echo).join(', ')}${rest}.`),
  );
}

function nothingFound(
  { specification }: FetchableSource,
  unusable: readonly UnusableSkill[],
  elsewhere: PluginContent['elsewhere'],
): FetchError {
  const [first] = unusable;
  const [plugin] = elsewhere;
  if (first !== undefined)
    return new FetchError(
      `${specification} has no usable skill. ${first.path === '' ? 'SKILL.md' : first.path}: ${first.reason}`,
      'Ask its publisher to correct it.',
    );
  if (plugin !== undefined)
    return new FetchError(
      `${specification} is a marketplace, and its plugins are elsewhere.`,
      `Add them one by one:\n${elsewhere
        .slice(0, MAX_LISTED)
        .map(({ source }) => `  footbridge add ${source}`)
        .join('\n')}`,
    );
  return new FetchError(`${specification} has no skills: no folder in it has a SKILL.md.`, 'Check its name, and the folder in it.');
}
