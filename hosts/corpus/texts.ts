/** Long texts: instructions of several lengths, and shapes that are easy to break. */
import { pick, seeded } from './random.js';
import { ACTIONS, DETAILS, FIELDS, OCCASIONS } from './words.js';

const SEED = 5;
const KILOBYTE = 1024;

/** Markdown of about that many kilobytes, with headings, lists and paragraphs. */
export function markdown(kilobytes: number, newline = '\n'): string {
  const random = seeded(SEED + kilobytes);
  const lines: string[] = [];
  let length = 0;
  for (let line = 1; length < kilobytes * KILOBYTE; line++) {
    const text = lineOf(line, random);
    lines.push(text);
    length += text.length + newline.length;
  }
  return lines.join(newline) + newline;
}

function lineOf(line: number, random: () => number): string {
  const [, fields] = pick(random, FIELDS);
  if (line % 24 === 1) return `## ${line}. ${pick(random, ACTIONS)[1]} ${fields}`;
  if (line % 3 === 0) return '';
  // Numbered, so that no two lines are the same and a gap cannot go unnoticed.
  return `${line}. ${pick(random, OCCASIONS).replace('%', fields)} ${pick(random, DETAILS)}`;
}

/** Each makes a text of about that many kilobytes in UTF-8. */
export const SHAPES = {
  emoji: (kilobytes: number) => filled(kilobytes, (n) => `${n} 🧭👩‍🚀 naïve – 日本語 🇪🇺\n`),
  CRLF: (kilobytes: number) => markdown(kilobytes, '\r\n'),
  'one endless line': (kilobytes: number) => filled(kilobytes, (n) => `${n} and then `),
  'no final newline': (kilobytes: number) => markdown(kilobytes).trimEnd(),
  'short lines': (kilobytes: number) => filled(kilobytes, (n) => `${n}\n`),
  'quotes and backslashes': (kilobytes: number) => filled(kilobytes, (n) => `{"path": "C:\\\\${n}", "text": "\\"\\t\\""}\n`),
};

export type Shape = keyof typeof SHAPES;

export const SHAPE_TITLES = Object.keys(SHAPES) as readonly Shape[];

function filled(kilobytes: number, piece: (n: number) => string): string {
  let text = '';
  for (let n = 1, bytes = 0; bytes < kilobytes * KILOBYTE; n++) {
    const next = piece(n);
    text += next;
    bytes += Buffer.byteLength(next);
  }
  return text;
}
