/** The ids of workflows: readable, and hard to mistake for one another. */
import { randomInt } from 'node:crypto';

const LONGEST_SLUG = 40;
const RANDOM_LENGTH = 6;
/** Without those that look alike. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

const ID = /^[a-z0-9]+(?:-[a-z0-9]+)*-[a-z0-9]{6}$/;
const LONGEST_ID = LONGEST_SLUG + 1 + RANDOM_LENGTH;

/** Such as `import-genomes-x7k2p9`. */
export function newId(name: string): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${slugOf(name)}-${random}`;
}

/** Whether it can be one of ours; nothing else is ever a part of a file's name. */
export function isId(text: string): boolean {
  return text.length <= LONGEST_ID && ID.test(text);
}

function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const slug = words.replace(/^-/, '').slice(0, LONGEST_SLUG).replace(/-$/, '');
  return slug === '' ? 'workflow' : slug;
}
