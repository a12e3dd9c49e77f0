/** Notices of a scan about what is not served. */
import { systemCode } from '../../errors.js';
import type { Notice } from '../source.js';
import type { SkillRoot } from './folders.js';
import type { FieldsResult } from './frontmatter.js';
import { LIMITS } from './rules.js';

function skipped(severity: Notice['severity'], rule: string, file: string, message: string, action: string, line?: number): Notice {
  return { severity, rule, file, line, message, action, skipped: true };
}

export const missing = ({ label }: SkillRoot) =>
  skipped(
    'warning',
    'folder-missing',
    label,
    'The folder does not exist.',
    'Create it or correct its name; it is served as soon as it exists.',
  );

export const notAFolder = ({ label }: SkillRoot) =>
  skipped('error', 'folder-kind', label, 'This is not a folder.', 'Name the folder that holds the skills.');

export const notReadable = (file: string, cause: unknown) =>
  skipped('error', 'unreadable', file, `It cannot be read (${systemCode(cause) ?? 'unknown error'}).`, 'Check its permissions.');

export const notAFile = (file: string) =>
  skipped('error', 'not-a-file', file, 'SKILL.md is not a regular file.', 'Replace it with a text file.');

export const tooLarge = (file: string, size: number) =>
  skipped('error', 'file-size', file, `SKILL.md has ${size} bytes; the limit is ${LIMITS.file}.`, 'Move detail into supporting files.');

export const noFrontmatter = (file: string, reason: 'absent' | 'unclosed') =>
  skipped(
    'error',
    'frontmatter-missing',
    file,
    reason === 'absent' ? 'SKILL.md does not begin with a "---" line.' : 'The frontmatter has no closing "---" line.',
    'Begin the file with "---", the fields name and description, and "---" again.',
    1,
  );

export function unreadableYaml(file: string, { message, line, column, beyond }: Extract<FieldsResult, { ok: false }>): Notice {
  const notice =
    beyond === true
      ? skipped(
          'error',
          'yaml-limit',
          file,
          `The frontmatter is not read: ${message}.`,
          'Use plain keys and values; move detail below.',
          line,
        )
      : skipped(
          'error',
          'yaml',
          file,
          `The frontmatter is not valid YAML: ${message.replace(/\.?$/, '.')}`,
          'Correct the line; put values with special characters in quotes.',
          line,
        );
  return { ...notice, column };
}

export const linkLeaves = (file: string, bounds: string) =>
  skipped('error', 'link-outside', file, `The link leaves ${bounds}.`, 'Copy what it points to, or add that folder with --skills.');

export const brokenLink = (file: string) =>
  skipped('warning', 'link-broken', file, 'The link is broken.', 'Remove it or restore its target.');

export const linkLoops = (file: string) => skipped('warning', 'link-loop', file, 'The link leads back to a folder above it.', 'Remove it.');

export const tooFar = (file: string) =>
  skipped(
    'error',
    'link-outside',
    file,
    `The link leaves the project, to more than ${LIMITS.outside} folders without a skill. Only those are searched.`,
    'Add the folder that holds the skills with --skills.',
  );

export const misspelled = (file: string) =>
  skipped('error', 'file-name', file, 'The file is not named SKILL.md.', 'Rename it to SKILL.md, in capitals.');

export const unspeakable = (folder: string) =>
  skipped('error', 'folder-name', folder, 'The folder name contains a backslash or a control character.', 'Rename it.');
