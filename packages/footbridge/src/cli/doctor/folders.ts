/** The searched folders, the skills in them, and their problems. */
import { statSync } from 'node:fs';
import { Catalog } from '../../catalog/catalog.js';
import { silentLog } from '../../log.js';
import { type SkillRoot, skillRoots } from '../../sources/skills/folders.js';
import { skillFolders } from '../../sources/skills/index.js';
import type { Notice, Skill, Source } from '../../sources/source.js';
import { CATALOGUE_BUDGET, catalogueOf } from '../../surfaces/catalogue.js';
import type { Config } from '../config/index.js';
import type { Io } from '../io.js';
import { lockedSources } from '../lock/serving.js';
import { shortPath, skillProblems } from '../skill-problems.js';
import { isSkillRule } from './codes.js';
import { type Finding, finding } from './finding.js';

const OF_FOLDERS: ReadonlySet<string> = new Set(['folder-missing', 'folder-kind']);

/** `named` are the folders of the command line. */
export async function checkSkills(config: Config, named: readonly string[], packs: readonly Source[], io: Io) {
  const options = { folders: [...config.skills, ...named], standardFolders: config.standardFolders, workingFolder: io.cwd, home: io.home };
  const roots = skillRoots(options);
  const sources = [...packs, skillFolders({ ...options, watch: false })];
  const locked = config.locked === true ? await lockedSources(sources, { config, log: silentLog, watch: false, cwd: io.cwd }) : undefined;
  const catalog = await Catalog.open(locked?.sources ?? sources);
  try {
    await locked?.checked();
    const { snapshot } = catalog;
    const { problems } = await skillProblems(catalog, io);
    const isOfFolder = ({ file, rule }: Notice) => OF_FOLDERS.has(rule) || roots.some(({ path, label }) => file === path || file === label);
    const { named: shownNames, text } = catalogueOf(snapshot);
    return {
      folders: {
        data: roots.map((root) => ({ folder: root.label, exists: isThere(root), skills: countIn(root, snapshot.skills) })),
        findings: problems.filter(isOfFolder).map((notice) => toFinding(notice, io)),
      },
      skills: {
        data: {
          served: snapshot.skills.length,
          shadowed: snapshot.shadowed.length,
          skipped: problems.filter(({ skipped }) => skipped === true).length,
          catalogue: { characters: text.length, budget: CATALOGUE_BUDGET, named: shownNames },
        },
        findings: problems.filter((notice) => !isOfFolder(notice)).map((notice) => toFinding(notice, io)),
      },
    };
  } finally {
    catalog.close();
  }
}

function isThere({ path }: SkillRoot): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

function countIn({ label }: SkillRoot, skills: readonly Skill[]): number {
  return skills.filter(({ origin }) => origin === label).length;
}

function toFinding({ action, file, line, message, rule, severity, skipped }: Notice, io: Io): Finding {
  const where = `${shortPath(file, io)}${line === undefined ? '' : `:${line}`}`;
  const code = isSkillRule(rule) ? rule : 'skill-problem';
  return finding(severity, code, where, skipped === true ? `${message} It is skipped.` : message, { action });
}
