/** What `lint` finds and what skills cost, for administrators on the catalog page. */
import { statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Writable } from 'node:stream';
import { Catalog } from '../catalog/catalog.js';
import type { Inspection } from '../serve/http/page/insight.js';
import { skillUri } from '../sources/skill-uri.js';
import { SKILL_FILE, type Skill, type Source } from '../sources/source.js';
import { lease } from '../sources/transforms/index.js';
import { Io } from './io.js';
import { type PlacedProblem, placedProblems, placeText } from './lint/placed.js';
import { skillProblems } from './skill-problems.js';
import { plain } from './terminal.js';

/** Inspects the skills of these sources as they are now. */
export async function inspectSkills(sources: readonly Source[], io: Io): Promise<Inspection> {
  const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const silent = new Io({ cwd: io.cwd, home: io.home, env: io.env, stdout: sink(), stderr: sink() });
  const catalog = await Catalog.open(sources.map(lease));
  try {
    await catalog.settled();
    const { problems, reports } = await skillProblems(catalog, silent, true);
    return {
      skills: reports.map(({ bodyTokens, catalogueTokens, skill }) => ({
        uri: skillUri(skill),
        listTokens: catalogueTokens,
        loadTokens: bodyTokens,
        changedAt: changeOf(skill),
      })),
      findings: placedProblems(problems, io).map((problem) => withoutFolders(problem, io)),
    };
  } finally {
    catalog.close();
  }
}

/** ISO 8601; undefined for a skill that is not in a folder. */
function changeOf({ directory }: Skill): string | undefined {
  const stats = directory === undefined ? undefined : statSync(join(directory, SKILL_FILE), { throwIfNoEntry: false });
  return stats?.mtime.toISOString();
}

/** The page may be open on another machine, where absolute paths mean nothing. */
function withoutFolders(problem: PlacedProblem, io: Io): Inspection['findings'][number] {
  const { action, message, rule, severity } = problem;
  const short = (text: string) => plain(text.replaceAll(`${io.cwd}${sep}`, '').replaceAll(`${io.home}${sep}`, '~/'));
  return { severity, rule, place: short(placeText(problem)), message: short(message), action: short(action) };
}
