/** `footbridge init`: a new skill that keeps the standard. */
import { realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { reasonOf, systemCode } from '../../errors.js';
import { silentLog } from '../../log.js';
import { skillUri } from '../../sources/skill-uri.js';
import { LIMITS } from '../../sources/skills/rules.js';
import { SKILL_FILE, type Skill } from '../../sources/source.js';
import { newSkillPlace, obstacleAt } from '../init/place.js';
import { skillTemplate } from '../init/template.js';
import type { Io } from '../io.js';
import { makeFolders } from '../make-folders.js';
import { type CommonOptions, openCatalog } from '../options.js';
import { shortPath } from '../skill-problems.js';
import { plain } from '../terminal.js';
import { selfCommand } from '../this-program.js';

export interface InitOptions extends CommonOptions {
  readonly description?: string;
  readonly global?: boolean;
}

/** `skill` is a name, or a path that ends in one. Nothing that is there is changed. */
export async function init(skill: string, options: InitOptions, io: Io): Promise<number> {
  const place = newSkillPlace(skill, options.global === true, io);
  const fail = (problem: string) => {
    io.printError(`footbridge error: ${plain(problem)}`);
    return 1;
  };
  if (!place.ok) return fail(place.problem);
  const { name, folder } = place;
  const description = options.description === undefined ? undefined : plain(options.description);
  if (description === '') return fail('The description is empty. Describe what the skill does and when to use it, or omit --description.');
  if (description !== undefined && [...description].length > LIMITS.description)
    return fail(
      `The description has ${[...description].length} characters; the standard allows ${LIMITS.description}. Move detail into the body.`,
    );
  const obstacle = obstacleAt(folder);
  if (obstacle !== undefined) return fail(obstacle);
  const file = join(folder, SKILL_FILE);
  try {
    makeFolders(folder);
    writeFileSync(file, skillTemplate(name, description), { flag: 'wx' });
  } catch (cause) {
    return fail(`${shortPath(file, io)} cannot be created (${systemCode(cause) ?? reasonOf(cause)}). Check the path and its permissions.`);
  }
  const found = await lookUp(folder, options, io);
  if (options.json === true)
    io.printJson({ name, path: file, uri: found.uri ?? null, served: found.uri !== undefined, notes: found.notes });
  else printMade(file, folder, found, io);
  return 0;
}

/** How the new skill stands among those that are served. */
interface Standing {
  /** Absent when it is not served. */
  readonly uri?: string;
  readonly notes: readonly string[];
}

async function lookUp(folder: string, options: InitOptions, io: Io): Promise<Standing> {
  try {
    const { catalog, end } = await openCatalog({ ...options, pack: [] }, { watch: false, log: silentLog, servers: false }, io);
    try {
      const { skills, shadowed } = catalog.snapshot;
      const real = realpathSync(folder);
      const isNew = ({ identity }: Skill) => identity === real;
      const hidden = shadowed.find(({ skill }) => isNew(skill));
      if (hidden !== undefined)
        return {
          notes: [
            `It is not served: ${fileOf(hidden.by, io)} has the same name and takes precedence. Choose another name, or remove that skill.`,
          ],
        };
      const served = skills.find(isNew);
      if (served === undefined)
        return {
          notes: [
            `It is not in a served folder. Serve it with --skills ${quoted(relative(io.cwd, join(folder, '..')) || '.')}, or add that folder to "skills" in footbridge.json.`,
          ],
        };
      const hides = shadowed.filter(({ by }) => isNew(by)).map(({ skill }) => fileOf(skill, io));
      return {
        uri: skillUri(served),
        notes: hides.map((file) => `${file} has the same name and is no longer served: the new skill takes precedence.`),
      };
    } finally {
      await end();
    }
  } catch (cause) {
    return { notes: [`Could not determine whether it is served: ${plain(reasonOf(cause))}`] };
  }
}

function fileOf({ directory = '' }: Skill, io: Io): string {
  return shortPath(join(directory, SKILL_FILE), io);
}

function printMade(file: string, folder: string, { uri, notes }: Standing, io: Io): void {
  const { colors } = io;
  const here = quoted(shortPath(folder, io));
  const self = selfCommand(io);
  io.print(`Created ${colors.bold(shortPath(file, io))}${uri === undefined ? '' : `, served as ${colors.cyan(uri)}`}`);
  for (const note of notes) io.print(`${colors.yellow('Note:')} ${note}`);
  io.print('');
  io.print('Next:');
  const steps = [
    ['edit it', 'the description decides when a model loads it'],
    [`${self} lint ${here}`, 'check it and see its token costs'],
    [`${self} dev ${here}`, 'try it with a client and see each call'],
    [`${self} install`, 'add Footbridge to your hosts, if you have not yet'],
  ];
  const width = Math.max(...steps.map(([step = '']) => step.length));
  steps.forEach(([step = '', why = ''], index) => {
    io.print(`  ${index + 1}. ${step.padEnd(width)}  ${colors.dim(why)}`);
  });
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return /^[\w./~@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
