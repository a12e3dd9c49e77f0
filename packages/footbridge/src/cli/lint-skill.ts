/** What `lint` checks in one skill beyond its frontmatter. */
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Catalog } from '../catalog/catalog.js';
import { skillUri } from '../catalog/skill-uri.js';
import { isInside } from '../sources/skills/folders.js';
import { LIMITS, SKIPPED_FOLDERS } from '../sources/skills/rules.js';
import type { Notice, Skill } from '../sources/source.js';
import { decodeText } from '../text.js';
import { plural, tokens } from './terminal.js';

export interface SkillReport {
  readonly skill: Skill;
  readonly notices: readonly Notice[];
  /** What the catalogue in the tool's description costs for this skill. */
  readonly catalogueTokens: number;
  /** What loading it costs. */
  readonly bodyTokens: number;
}

/** The standard's advice for the instructions of a skill. */
const BODY_TOKENS = 5000;

const SECRET_NAMES = /^(?:\.env(?:\..+)?|\.netrc|\.npmrc|id_(?:rsa|ed25519|ecdsa)|credentials(?:\.json)?|.*\.(?:pem|p12|pfx|key))$/i;

export async function checkSkill(catalog: Catalog, skill: Skill): Promise<SkillReport> {
  const content = await catalog.read(skillUri(skill)).catch(() => undefined);
  const text = content === undefined ? '' : decodeText(content.bytes);
  const file = join(skill.directory ?? '', 'SKILL.md');
  const notices: Notice[] = [];
  if (text === undefined) {
    notices.push({
      severity: 'warning',
      rule: 'encoding',
      file,
      message: 'SKILL.md is not UTF-8.',
      action: 'Save it as UTF-8; as it is, some characters are lost when a model reads it.',
    });
  }
  const bodyTokens = tokens(text ?? '');
  if (bodyTokens > BODY_TOKENS) {
    notices.push({
      severity: 'warning',
      rule: 'body-length',
      file,
      message: `SKILL.md costs about ${plural(bodyTokens, 'token')} each time it is loaded; the standard advises ${plural(BODY_TOKENS, 'token')}.`,
      action: 'Move detail into supporting files that SKILL.md names.',
    });
  }
  if (skill.directory !== undefined) {
    notices.push(...checkFiles(skill.directory));
    if (text !== undefined) notices.push(...checkReferences(text, skill.directory, file));
  }
  const entry = `<skill><name>${skill.name}</name><description>${skill.description}</description><location>${skill.location}</location></skill>`;
  return { skill, notices, catalogueTokens: tokens(entry), bodyTokens };
}

interface Totals {
  files: number;
  bytes: number;
}

function checkFiles(directory: string): Notice[] {
  const notices: Notice[] = [];
  const totals: Totals = { files: 0, bytes: 0 };
  walk(directory, realpathSync(directory), notices, totals);
  if (totals.files > LIMITS.files || totals.bytes > LIMITS.skill) {
    notices.push({
      severity: 'error',
      rule: 'skill-size',
      file: directory,
      message: `The skill has ${plural(totals.files, 'file')} and ${plural(totals.bytes, 'byte')}; the limits are ${LIMITS.files} and ${LIMITS.skill}.`,
      action: 'Remove what is not needed; until then it is left out of the Skills extension.',
    });
  }
  return notices;
}

function walk(folder: string, root: string, notices: Notice[], totals: Totals): void {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (SKIPPED_FOLDERS.has(name) || totals.files > LIMITS.files) continue;
    if (lstatSync(path).isSymbolicLink()) {
      const inside = isLinkInside(path, root);
      if (!inside)
        notices.push({
          severity: 'error',
          rule: 'link-outside',
          file: path,
          message: 'The link leaves its skill.',
          action: 'Copy the file into the skill.',
          skipped: true,
        });
      if (!inside || statSync(path).isDirectory()) continue;
    }
    const stats = statSync(path);
    if (stats.isDirectory()) walk(path, root, notices, totals);
    else if (!stats.isFile()) {
      notices.push({
        severity: 'error',
        rule: 'not-a-file',
        file: path,
        message: 'This is neither a file nor a folder.',
        action: 'Remove it.',
        skipped: true,
      });
    } else {
      totals.files++;
      totals.bytes += stats.size;
      if (stats.size > LIMITS.file) {
        notices.push({
          severity: 'error',
          rule: 'file-size',
          file: path,
          message: `The file has ${plural(stats.size, 'byte')}; the limit is ${LIMITS.file}.`,
          action: 'Split it or keep it elsewhere.',
          skipped: true,
        });
      }
      if (SECRET_NAMES.test(name)) {
        notices.push({
          severity: 'warning',
          rule: 'secret-file',
          file: path,
          message: 'The name is that of a file with secrets, and every file of a skill is served.',
          action: 'Move it out of the skill.',
        });
      }
    }
  }
}

function isLinkInside(path: string, root: string): boolean {
  try {
    return isInside(root, realpathSync(path));
  } catch {
    return false;
  }
}

const LINK = /\[[^\]\n]*\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g;

/** Relative links in SKILL.md whose file is not there. */
function checkReferences(text: string, directory: string, file: string): Notice[] {
  const notices: Notice[] = [];
  text.split('\n').forEach((content, index) => {
    for (const [, target = ''] of content.matchAll(LINK)) {
      const path = target.split(/[?#]/)[0] ?? '';
      if (path === '' || /^(?:[a-z][\w+.-]*:|\/)/i.test(path) || exists(join(dirname(file), decode(path)))) continue;
      notices.push({
        severity: 'warning',
        rule: 'link-target',
        file,
        line: index + 1,
        message: `There is no file "${path}" in the skill.`,
        action: 'Correct the link or add the file.',
      });
    }
  });
  return directory === '' ? [] : notices;
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
