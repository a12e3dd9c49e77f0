/** `list`, `search`, `show` and `read`: the catalog for people and scripts. */
import type { Catalog } from '../../catalog/catalog.js';
import { nearest } from '../../catalog/near.js';
import { searchSkills } from '../../catalog/search.js';
import { skillUri } from '../../catalog/skill-uri.js';
import { callName } from '../../catalog/snapshot.js';
import { FootbridgeError } from '../../errors.js';
import type { Skill } from '../../sources/source.js';
import { type CommonOptions, withCatalog } from '../options.js';
import { colors, plain, plural, print, printJson, tokens } from '../terminal.js';

export async function list(options: CommonOptions): Promise<number> {
  return withCatalog(options, async (catalog) => {
    printSkills(catalog, catalog.snapshot.skills, options);
    return 0;
  });
}

export async function search(words: readonly string[], options: CommonOptions): Promise<number> {
  return withCatalog(options, async (catalog) => {
    const found = await searchSkills(catalog.snapshot, words.join(' '));
    printSkills(catalog, found, options);
    return found.length === 0 ? 1 : 0;
  });
}

export async function show(name: string, options: CommonOptions): Promise<number> {
  return withCatalog(options, async (catalog) => {
    const skill = catalog.findSkill(name);
    if (skill === undefined) return complain(`There is no skill '${name}'.`, suggestName(catalog, name));
    const { bytes } = await catalog.readSkill(skill);
    const text = Buffer.from(bytes).toString('utf8');
    const listed = (await skill.manifest())?.files;
    const files = listed === 'dynamic' ? undefined : listed?.map(({ path, size }) => ({ uri: skillUri(skill, path), size }));
    if (options.json === true) {
      printJson({
        ...describe(catalog, skill),
        directory: skill.directory,
        conforms: skill.conforms,
        tokens: tokens(text),
        files: files ?? null,
        text,
      });
      return 0;
    }
    print(`${colors.bold(plain(skill.name))}  ${colors.dim(`${skill.location}, ${skill.origin}, ≈${tokens(text)} tokens`)}`);
    for (const file of files ?? []) print(`  ${colors.cyan(file.uri)}${colors.dim(`  ${plural(file.size, 'byte')}`)}`);
    if (listed === undefined) print(colors.dim('  Its files are over the limits; footbridge lint says which.'));
    print('');
    process.stdout.write(text);
    return 0;
  });
}

export async function read(uri: string, options: CommonOptions): Promise<number> {
  return withCatalog(options, async (catalog) => {
    try {
      const { contents } = await catalog.read(uri.trim());
      for (const content of contents) process.stdout.write('text' in content ? content.text : Buffer.from(content.blob, 'base64'));
      return 0;
    } catch (error) {
      if (error instanceof FootbridgeError) return complainOf(error);
      throw error;
    }
  });
}

function printSkills(catalog: Catalog, skills: readonly Skill[], options: CommonOptions): void {
  if (options.json === true) {
    printJson({ skills: skills.map((skill) => describe(catalog, skill)) });
    return;
  }
  for (const skill of skills) {
    print(`${colors.bold(plain(callName(catalog.snapshot, skill)))}  ${colors.dim(`${skill.location}, ${skill.origin}`)}`);
    print(`  ${plain(skill.description)}`);
    print(`  ${colors.cyan(skillUri(skill))}`);
  }
  if (skills.length === 0) print(nothing(catalog));
}

/** Why there is none, where that is known, and the way to one. */
function nothing({ snapshot: { notices, skills } }: Catalog): string {
  if (skills.length > 0) return 'No skill has these words. footbridge list shows all.';
  return notices.some(({ skipped }) => skipped === true)
    ? 'No skills are served. footbridge lint says why.'
    : 'No skills. Make one with footbridge init NAME, or name a folder with --skills DIR.';
}

function describe(catalog: Catalog, skill: Skill) {
  const { description, location, origin } = skill;
  return { name: callName(catalog.snapshot, skill), description, uri: skillUri(skill), location, origin };
}

function suggestName(catalog: Catalog, name: string): string[] {
  const near = nearest(
    name,
    catalog.snapshot.skills.map((skill) => callName(catalog.snapshot, skill)),
  );
  return [...(near.length === 0 ? [] : [`Did you mean ${near.join(', ')}?`]), 'See all with: footbridge list'];
}

/** An error of ours for a person, who has commands and no tools. */
function complainOf(error: FootbridgeError): number {
  return complain(error.message, [
    ...(error.details === undefined ? [] : [error.details]),
    ...error.suggestedActions.filter((action) => !action.includes('list_skills')),
    'See all skills with: footbridge list, and all resources with: footbridge surface',
  ]);
}

function complain(message: string, actions: readonly string[]): number {
  process.stderr.write(`${[message, ...actions].join('\n')}\n`);
  return 1;
}
