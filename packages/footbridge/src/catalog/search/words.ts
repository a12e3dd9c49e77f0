/** Splits text into words, in any script. */

/** Longer words are cut: they are keys or data. */
const LONGEST = 40;
/** Parts of a compound that are also indexed as one word, such as `e-mail`. */
const MAX_PARTS = 2;

/** Scripts written without blanks between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const RUN = new RegExp(`${UNSPACED.source}+|(?:(?!${UNSPACED.source})[\\p{L}\\p{N}\\p{M}])+`, 'gu');
/** Accents; marks of other scripts make another letter. */
const ACCENTS = /[\u0300-\u036f]+/g;

/**
 * Calls `each` with every word of the text, in lower case and without accents: the parts of compounds (`pdf-tools`,
 * `useEffect`) and the compound as one word. Text without blanks gives pairs of characters.
 */
export function eachWord(text: string, each: (word: string) => void): void {
  const end = text.length;
  let parts = 0;
  let compound = '';
  let at = 0;
  while (at < end) {
    const start = at;
    let code = text.charCodeAt(at);
    let ascii = true;
    while (at < end && (isAlphanumeric(code) || code > 0x7f)) {
      if (code > 0x7f) {
        if (ascii && !isLetterAt(text, at)) break;
        ascii = false;
      }
      code = text.charCodeAt(++at);
    }
    if (at === start) {
      at++;
      continue;
    }
    const run = text.slice(start, ascii ? Math.min(at, start + LONGEST) : at);
    // What follows decides: `c++`, `c#`, a possessive, or the next part of a compound.
    if (at - start === 1 && (code === PLUS || code === HASH)) {
      if (code === HASH || text.charCodeAt(at + 1) === PLUS) {
        each(run.toLowerCase() + (code === HASH ? '#' : '++'));
        at += code === HASH ? 1 : 2;
        parts = 0;
        continue;
      }
    }
    const count = ascii ? eachPart(run, each) : eachForeign(run, each);
    if (code === APOSTROPHE || code === RIGHT_QUOTE) {
      // The rest of `user's` and `don't` says nothing.
      const rest = /^['’](?:s|t|re|ve|ll|d|m)(?![A-Za-z0-9])/.exec(text.slice(at, at + 4));
      if (rest !== null) at += rest[0].length;
    }
    parts += count === 0 ? 0 : 1;
    compound = parts === 1 ? run : compound + run;
    const joined = isJoiner(code) && isAlphanumeric(text.charCodeAt(at + 1));
    if (joined) {
      at++;
      continue;
    }
    if (parts === MAX_PARTS && compound.length <= LONGEST) each(compound.toLowerCase());
    parts = 0;
  }
}

const PLUS = 0x2b;
const HASH = 0x23;
const APOSTROPHE = 0x27;
const RIGHT_QUOTE = 0x2019;

function isAlphanumeric(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}

/** Hyphen, dot, underscore, slash. */
function isJoiner(code: number): boolean {
  return code === 0x2d || code === 0x2e || code === 0x5f || code === 0x2f;
}

function isLetterAt(text: string, at: number): boolean {
  return /[\p{L}\p{N}\p{M}]/u.test(String.fromCodePoint(text.codePointAt(at) ?? 0x20));
}

/** A word of ASCII characters, and its parts if it is in camel case. */
function eachPart(run: string, each: (word: string) => void): number {
  each(run.toLowerCase());
  if (/[a-z][A-Z]/.test(run)) for (const part of run.split(/(?<=[a-z0-9])(?=[A-Z])/)) each(part.toLowerCase());
  return 1;
}

function eachForeign(run: string, each: (word: string) => void): number {
  const folded = run.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase();
  let count = 0;
  for (const [part] of folded.matchAll(RUN)) {
    count++;
    if (!UNSPACED.test(part)) {
      each(part.slice(0, LONGEST));
      continue;
    }
    const characters = [...part];
    if (characters.length === 1) each(part);
    for (let index = 1; index < characters.length; index++) each(`${characters[index - 1]}${characters[index]}`);
  }
  return count;
}
