/** Fixes that need no decision: what the author meant is certain. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { STANDARD_NAME } from '../../sources/skills/rules.js';
import type { Notice } from '../../sources/source.js';
import { decodeText } from '../../text.js';
import { hasStrayColon } from './place.js';

const FIXABLE = new Set(['yaml-colon', 'name-folder', 'name-format']);

/** Rewrites the files of these problems where that is possible, and returns how many problems it fixed. */
export function fixProblems(problems: readonly Notice[]): number {
  const byFile = new Map<string, Notice[]>();
  for (const problem of problems) if (FIXABLE.has(problem.rule)) byFile.set(problem.file, [...(byFile.get(problem.file) ?? []), problem]);
  let fixed = 0;
  for (const [file, found] of byFile) {
    const before = decodeText(readFileSync(file));
    if (before === undefined) continue;
    let text = before;
    for (const { rule } of found) {
      const next = rule === 'yaml-colon' ? withQuotes(text) : withName(text, basename(dirname(file)));
      if (next !== text) fixed++;
      text = next;
    }
    if (text !== before) writeFileSync(file, text);
  }
  return fixed;
}

function withQuotes(text: string): string {
  return inFrontmatter(text, (line) => {
    const [key = ''] = hasStrayColon(line) ? (/^[A-Za-z][\w-]*:[ \t]+/.exec(line) ?? []) : [];
    const value = line.slice(key.length).trimEnd();
    return key === '' ? line : `${key}${JSON.stringify(value)}${line.slice(key.length + value.length)}`;
  });
}

/** Only a folder with a valid name shows the intended name. */
function withName(text: string, folder: string): string {
  if (!STANDARD_NAME.test(folder)) return text;
  return inFrontmatter(text, (line) => line.replace(/^(name:[ \t]*).*?(\r?)$/s, `$1${folder}$2`).replace(/^name:(?=\S)/, 'name: '));
}

function inFrontmatter(text: string, change: (line: string) => string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line, index) => index > 0 && /^---\s*$/.test(line));
  return lines.map((line, index) => (index > 0 && index < end ? change(line) : line)).join('\n');
}
