/** Names and URIs of skills for completion: from folders alone, since Tab is no reason to start servers or to load packs. */
import { Catalog } from '../../catalog/catalog.js';
import { callName } from '../../catalog/snapshot.js';
import { skillUri } from '../../sources/skill-uri.js';
import { skillFolders } from '../../sources/skills/index.js';
import { SKILL_FILE, type Skill } from '../../sources/source.js';
import { cacheFolder } from '../cache-folder.js';
import { findConfig } from '../config/index.js';
import type { Io } from '../io.js';
import type { CompletionCandidate, Line } from './candidates.js';

/** Names of skills, as the line typed so far would serve them. */
export function skillNames(given: Line['given'], io: Io): Promise<readonly CompletionCandidate[]> {
  return withFolders(given, io, async ({ snapshot }) =>
    snapshot.skills.map((skill) => ({ value: callName(snapshot, skill), about: skill.description })),
  );
}

/** URIs of skills; where `current` leads into a skill, those of its files. */
export function skillUris(given: Line['given'], current: string, io: Io): Promise<readonly CompletionCandidate[]> {
  return withFolders(given, io, async ({ snapshot }) => {
    const inside = snapshot.skills.find((skill) => current.startsWith(skillUri(skill).slice(0, -SKILL_FILE.length)));
    if (inside !== undefined) return (await filesOf(inside, '')).map((path) => ({ value: skillUri(inside, path), about: '' }));
    return snapshot.skills.map((skill) => ({ value: skillUri(skill), about: skill.description }));
  });
}

async function filesOf(skill: Skill, folder: string): Promise<string[]> {
  const children = (await skill.list(folder)) ?? [];
  const paths = children.map(({ kind, path }) => (kind === 'file' ? [path] : filesOf(skill, path)));
  return (await Promise.all(paths)).flat();
}

async function withFolders<T>(given: Line['given'], io: Io, use: (catalog: Catalog) => Promise<T>): Promise<T> {
  const config = await findConfig(given.get('--config')?.at(-1), io);
  const skills = skillFolders({
    folders: [...config.skills, ...(given.get('--skills') ?? [])],
    standardFolders: config.standardFolders ?? true,
    watch: false,
    workingFolder: io.cwd,
    home: io.home,
    cacheFolder: cacheFolder(io),
  });
  const catalog = await Catalog.open([skills], { remembered: true });
  try {
    return await use(catalog);
  } finally {
    catalog.close();
  }
}
