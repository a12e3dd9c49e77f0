/** Where a new skill goes, and what may be there already. */
import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { systemCode } from '../../errors.js';
import { LIMITS } from '../../sources/skills/rules.js';
import { SKILL_FILE } from '../../sources/source.js';
import type { Surroundings } from '../io.js';

/** One of the standard folders, so that what is made is served at once. */
const STANDARD = join('.agents', 'skills');

export type NewSkillPlace =
  | { readonly ok: true; readonly name: string; readonly folder: string }
  | { readonly ok: false; readonly problem: string };

/** The folder that a name or a path means, or why it can be none. */
export function newSkillPlace(skill: string, global: boolean, { cwd, home }: Pick<Surroundings, 'cwd' | 'home'>): NewSkillPlace {
  const isPath = /[/\\]/.test(skill);
  if (isPath && global) return { ok: false, problem: `--global creates the skill in ~/${STANDARD}. Pass only its name, or omit --global.` };
  const folder = isPath ? resolve(cwd, skill.replace(/^~(?=[/\\])/, home)) : join(global ? home : cwd, STANDARD, skill);
  const name = isPath ? basename(folder) : skill;
  const standard = standardName(name);
  if (standard === name) return { ok: true, name, folder };
  const rule = `'${name}' is not a valid skill name: use 1 to ${LIMITS.name} lowercase letters, digits and single hyphens.`;
  if (standard === '') return { ok: false, problem: `${rule} Choose a name such as pdf-forms.` };
  return { ok: false, problem: `${rule} Did you mean ${isPath ? join(dirname(skill), standard) : standard}?` };
}

/** The nearest name that the standard allows; empty when nothing is left. */
function standardName(name: string): string {
  const ascii = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const hyphened = ascii.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '');
  return hyphened.slice(0, LIMITS.name).replace(/-$/, '');
}

/** What is in the way of a new skill in this folder; undefined when nothing is. */
export function obstacleAt(folder: string): string | undefined {
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
    // Something on the way is no folder, or is not to be looked into; to make the skill then says so.
    if (systemCode(cause) === undefined) throw cause;
    return undefined;
  }
}
