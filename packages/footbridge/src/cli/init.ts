/** `footbridge init`: creates a skill. */
import { lstatSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { reasonOf, systemCode } from '../errors.js';
import { silentLog } from '../log.js';
import { makeFolders } from '../private-folder.js';
import { skillUri } from '../sources/skill-uri.js';
import { LIMITS } from '../sources/skills/rules.js';
import { SKILL_FILE, type Skill } from '../sources/source.js';
import { CommandError } from './failure.js';
import type { Io, Surroundings } from './io.js';
import { type CommonOptions, openCatalog } from './options.js';
import { shortPath } from './skill-problems.js';
import { plain } from './terminal.js';
import { selfCommand } from './this-program.js';

export interface InitOptions extends CommonOptions {
  readonly description?: string;
  readonly global?: boolean;
}

/** `skill` is a name, or a path that ends with one. Existing files are not changed. */
export async function init(skill: string, options: InitOptions, io: Io): Promise<number> {
  const place = newSkillPlace(skill, options.global === true, io);
  const fail = (problem: string): never => {
    throw new CommandError('failed', plain(problem));
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

interface ServedState {
  /** Undefined if it is not served. */
  readonly uri?: string;
  readonly notes: readonly string[];
}

async function lookUp(folder: string, options: InitOptions, io: Io): Promise<ServedState> {
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

function printMade(file: string, folder: string, { uri, notes }: ServedState, io: Io): void {
  const { colors } = io;
  const here = quoted(shortPath(folder, io));
  const self = selfCommand(io);
  io.print(`Created ${io.fileLink(colors.bold(shortPath(file, io)), file)}${uri === undefined ? '' : `, served as ${colors.cyan(uri)}`}`);
  for (const note of notes) io.print(`${colors.yellow('Note:')} ${note}`);
  io.print('');
  io.print('Next:');
  const steps = [
    ['edit it', 'the description decides when a model loads it'],
    [`${self} lint ${here}`, 'check it and see its token costs'],
    [`${self} dev ${here}`, 'try it with a client and see each call'],
    [`${self} install`, 'add Footbridge to your hosts, if you have not yet'],
  ];
  io.printEntries(
    steps.map(([name = '', about = ''], index) => ({ mark: `  ${index + 1}. `, name, about, paint: { about: colors.dim } })),
    true,
  );
}

/** Quoted for a shell. */
function quoted(path: string): string {
  return /^[\w./~@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** A standard folder, so that the skill is served at once. */
const STANDARD = join('.agents', 'skills');

type NewSkillPlace =
  | { readonly ok: true; readonly name: string; readonly folder: string }
  | { readonly ok: false; readonly problem: string };

function newSkillPlace(skill: string, global: boolean, { cwd, home }: Pick<Surroundings, 'cwd' | 'home'>): NewSkillPlace {
  const isPath = /[/\\]/.test(skill);
  if (isPath && global) return { ok: false, problem: `--global creates the skill in ~/${STANDARD}. Pass only its name, or omit --global.` };
  const folder = isPath ? resolve(cwd, skill.replace(/^~(?=[/\\])/, home)) : join(global ? home : cwd, STANDARD, skill);
  const name = isPath ? basename(folder) : skill;
  const standard = standardName(name);
  if (standard === name) return { ok: true, name, folder };
  const hint = standard === '' ? 'Choose a name such as pdf-forms.' : `Did you mean ${isPath ? join(dirname(skill), standard) : standard}?`;
  return {
    ok: false,
    problem: `'${name}' is not a valid skill name: use 1 to ${LIMITS.name} lowercase letters, digits and single hyphens. ${hint}`,
  };
}

/** The nearest valid name; may be empty. */
function standardName(name: string): string {
  const ascii = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const hyphened = ascii.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '');
  return hyphened.slice(0, LIMITS.name).replace(/-$/, '');
}

/** What prevents creating a skill in this folder. */
function obstacleAt(folder: string): string | undefined {
  const stats = look(folder);
  if (stats !== undefined && !stats.isDirectory()) return `${folder} already exists and is not a folder. Nothing was changed.`;
  if (stats !== undefined && readdirSync(folder).length > 0) return `${folder} already exists and is not empty. Nothing was changed.`;
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above))
    if (look(join(above, SKILL_FILE)) !== undefined)
      return `${above} is itself a skill, and skills cannot be nested. Choose a folder outside it.`;
  return undefined;
}

function look(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    // A parent is not an accessible folder; creating the skill reports that.
    if (systemCode(cause) === undefined) throw cause;
    return undefined;
  }
}

/** Without a description, a placeholder asks for one. */
export function skillTemplate(name: string, description: string | undefined): string {
  const placeholder = `Says what ${name} does, then when to use it, in words that people would use. Replace this, since it is all that a model sees before it loads the skill.`;
  return `---
${stringify({ name, description: description ?? placeholder }, { lineWidth: 0 })}---

# ${name}

State in one sentence what following this skill achieves.

## When to use

- Give an example of a request that this skill is for.
- Give an example of one that it is not for, and say what to do instead.

## Steps

1. Write each step as an instruction, with the exact commands and names.
2. Say how to check that a step has worked, and what to do if it has not.
3. Move long material into separate files in this folder, and link to them from here: they are read only when needed.

## Example

Show one request from beginning to end, and what the result looks like.
`;
}
