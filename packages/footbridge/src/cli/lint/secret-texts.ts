/** Secrets in the text files of a skill other than SKILL.md. */
import { readFile } from 'node:fs/promises';
import type { Notice } from '../../sources/source.js';
import { decodeText } from '../../text.js';
import { eachLine } from './findings.js';
import { secretFinding } from './text-rules.js';

/** A file that is served, and its size. */
export interface ServedFile {
  readonly file: string;
  readonly size: number;
}

/** Larger files are data. */
const MAX_BYTES = 1024 * 1024;
const MAX_BYTES_OF_SKILL = 8 * MAX_BYTES;
/** A file with more findings is reported as one problem. */
const MAX_FINDINGS = 10;

/** None for files that are not text, or no longer exist. */
export async function secretsIn(files: readonly ServedFile[]): Promise<readonly Notice[]> {
  const notices: Notice[] = [];
  let left = MAX_BYTES_OF_SKILL;
  for (const { file, size } of files) {
    if (size > MAX_BYTES || size > left) continue;
    left -= size;
    const bytes = await readFile(file).catch(() => undefined);
    const text = bytes === undefined || bytes.length > MAX_BYTES ? undefined : decodeText(bytes);
    if (text !== undefined) notices.push(...(await findingsOf(text, file)));
  }
  return notices;
}

async function findingsOf(text: string, file: string): Promise<readonly Notice[]> {
  const notices: Notice[] = [];
  await eachLine(text, (line, number) => {
    const found = notices.length === MAX_FINDINGS ? undefined : secretFinding(line, number);
    if (found !== undefined) notices.push({ ...found, file });
  });
  return notices;
}
