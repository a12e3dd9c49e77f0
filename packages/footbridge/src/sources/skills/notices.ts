/** Notices of a scan. */
import { systemCode } from '../../errors.js';
import type { Notice } from '../source.js';
import type { SkillRoot } from './folders.js';
import { LIMITS } from './rules.js';

type Rule = Pick<Notice, 'severity' | 'rule' | 'message' | 'action'> & { readonly line?: number };

function skipped(file: string, rule: Rule): Notice {
  return { ...rule, file, skipped: true };
}

export const missing = (root: SkillRoot) =>
  skipped(root.label, {
    severity: 'warning',
    rule: 'folder-missing',
    message: 'The folder does not exist.',
    action: 'Create it or correct its name; it is served as soon as it exists.',
  });

export const notAFolder = (root: SkillRoot) =>
  skipped(root.label, {
    severity: 'error',
    rule: 'folder-kind',
    message: 'This is not a folder.',
    action: 'Name the folder that holds the skills.',
  });

export const notReadable = (file: string, cause: unknown) =>
  skipped(file, {
    severity: 'error',
    rule: 'unreadable',
    message: `It cannot be read (${systemCode(cause) ?? 'unknown error'}).`,
    action: 'Check its permissions.',
  });

export const notAFile = (file: string) =>
  skipped(file, {
    severity: 'error',
    rule: 'not-a-file',
    message: 'SKILL.md is not a regular file.',
    action: 'Replace it with a text file.',
  });

export const tooLarge = (file: string, size: number) =>
  skipped(file, {
    severity: 'error',
    rule: 'file-size',
    message: `SKILL.md has ${size} bytes; the limit is ${LIMITS.file}.`,
    action: 'Move detail into supporting files.',
  });

export const noFrontmatter = (file: string, reason: 'absent' | 'unclosed') =>
  skipped(file, {
    severity: 'error',
    rule: 'frontmatter-missing',
    line: 1,
    message: reason === 'absent' ? 'SKILL.md does not begin with a "---" line.' : 'The frontmatter has no closing "---" line.',
    action: 'Begin the file with "---", the fields name and description, and "---" again.',
  });

export const badYaml = (file: string, message: string, line: number) =>
  skipped(file, {
    severity: 'error',
    rule: 'yaml',
    line,
    message: `The frontmatter is not valid YAML: ${message}`,
    action: 'Correct the line; put values with special characters in quotes.',
  });

export const linkLeaves = (file: string, bounds: string) =>
  skipped(file, {
    severity: 'error',
    rule: 'link-outside',
    message: `The link leaves ${bounds}.`,
    action: 'Copy what it points to, or add that folder with --skills.',
  });

export const brokenLink = (file: string) =>
  skipped(file, {
    severity: 'warning',
    rule: 'link-broken',
    message: 'The link is broken.',
    action: 'Remove it or restore its target.',
  });

export const linkLoops = (file: string) =>
  skipped(file, { severity: 'warning', rule: 'link-loop', message: 'The link leads back to a folder above it.', action: 'Remove it.' });

export const misspelled = (file: string) =>
  skipped(file, {
    severity: 'error',
    rule: 'file-name',
    message: 'The file is not named SKILL.md.',
    action: 'Rename it to SKILL.md, in capitals.',
  });

export const unspeakable = (folder: string) =>
  skipped(folder, {
    severity: 'error',
    rule: 'folder-name',
    message: 'The folder name contains a backslash or a control character.',
    action: 'Rename it.',
  });
