/** The English stemmer of Martin Porter, second version: `migrating`, `migrated` and `migrations` have one stem. */

const VOWELS = 'aeiouy';
const DOUBLES = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const LI_ENDING = /[cdeghkmnrt]$/;

/** Words that the rules get wrong. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
    sky: 'sky',
    news: 'news',
    howe: 'howe',
    atlas: 'atlas',
    cosmos: 'cosmos',
    bias: 'bias',
    andes: 'andes',
  }),
);
const FIXED: ReadonlySet<string> = new Set(['inning', 'outing', 'canning', 'herring', 'earring', 'proceed', 'exceed', 'succeed']);

type Rules = readonly (readonly [ending: string, replacement: string])[];

/** Longest first. */
const STEP_2: Rules = [
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['iveness', 'ive'],
  ['ization', 'ize'],
  ['ousness', 'ous'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['tional', 'tion'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ation', 'ate'],
  ['entli', 'ent'],
  ['fulli', 'ful'],
  ['iviti', 'ive'],
  ['ousli', 'ous'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['anci', 'ance'],
  ['ator', 'ate'],
  ['enci', 'ence'],
  ['izer', 'ize'],
  ['bli', 'ble'],
];
const STEP_3: Rules = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const STEP_4 = ['ement', 'able', 'ance', 'ence', 'ible', 'ment', 'ant', 'ate', 'ent', 'ism', 'iti', 'ive', 'ize', 'ous', 'al', 'er', 'ic'];

/** The stem of a word in lower case; a word with anything but the letters a to z is its own stem. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const exception = EXCEPTIONS.get(word);
  if (exception !== undefined) return exception;
  const start = markConsonants(british(word));
  const first = regionStart(start, 0);
  const r1 = /^(?:gener|arsen)/.test(start) ? 5 : start.startsWith('commun') ? 6 : first;
  const r2 = regionStart(start, r1);
  let stemmed = withoutPlural(start);
  if (FIXED.has(stemmed)) return stemmed;
  stemmed = withoutPast(stemmed, r1);
  if (/[yY]$/.test(stemmed) && stemmed.length > 2 && !isVowel(stemmed, stemmed.length - 2)) stemmed = `${stemmed.slice(0, -1)}i`;
  stemmed = step2(stemmed, r1);
  stemmed = step3(stemmed, r1, r2);
  stemmed = step4(stemmed, r2);
  stemmed = step5(stemmed, r1, r2);
  return stemmed.toLowerCase();
}

/** British spellings of `-ize` and `-or` become the American ones, which the rules are for. */
function british(word: string): string {
  if (word.length < 7) return word === 'colour' ? 'color' : word;
  return word.replace(/is(e|ed|es|er|ers|ing|ation|ations)$/, 'iz$1').replace(/^(colo|behavio|favo|hono|labo|neighbo)ur/, '$1r');
}

/** A y that is a consonant is written Y. */
function markConsonants(word: string): string {
  return word.includes('y') ? word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y') : word;
}

function isVowel(word: string, at: number): boolean {
  return VOWELS.includes(word[at] ?? '-');
}

/** After the first consonant that follows a vowel. */
function regionStart(word: string, from: number): number {
  for (let at = from + 1; at < word.length; at++) if (!isVowel(word, at) && isVowel(word, at - 1)) return at + 1;
  return word.length;
}

function hasVowel(word: string, end: number): boolean {
  for (let at = 0; at < end; at++) if (isVowel(word, at)) return true;
  return false;
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word) || !word.endsWith('s')) return word;
  return hasVowel(word, word.length - 2) ? word.slice(0, -1) : word;
}

function withoutPast(word: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed !== null) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word;
  const end = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (end === null || !hasVowel(word, end.index)) return word;
  const rest = word.slice(0, end.index);
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (DOUBLES.test(rest)) return rest.slice(0, -1);
  return r1 >= rest.length && endsShort(rest) ? `${rest}e` : rest;
}

function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last === 1) return isVowel(word, 0) && !isVowel(word, 1);
  return last > 1 && !isVowel(word, last) && !/[wxY]$/.test(word) && isVowel(word, last - 1) && !isVowel(word, last - 2);
}

function step2(word: string, r1: number): string {
  for (const [ending, replacement] of STEP_2) {
    if (word.endsWith(ending)) return word.length - ending.length >= r1 ? word.slice(0, -ending.length) + replacement : word;
  }
  if (word.endsWith('ogi')) return word.length - 3 >= r1 && word.endsWith('logi') ? word.slice(0, -1) : word;
  if (word.endsWith('li')) return word.length - 2 >= r1 && LI_ENDING.test(word.slice(0, -2)) ? word.slice(0, -2) : word;
  return word;
}

function step3(word: string, r1: number, r2: number): string {
  for (const [ending, replacement] of STEP_3) {
    if (word.endsWith(ending)) return word.length - ending.length >= r1 ? word.slice(0, -ending.length) + replacement : word;
  }
  return word.endsWith('ative') && word.length - 5 >= r2 ? word.slice(0, -5) : word;
}

function step4(word: string, r2: number): string {
  for (const ending of STEP_4) {
    if (word.endsWith(ending)) return word.length - ending.length >= r2 ? word.slice(0, -ending.length) : word;
  }
  return /[st]ion$/.test(word) && word.length - 3 >= r2 ? word.slice(0, -3) : word;
}

function step5(word: string, r1: number, r2: number): string {
  const end = word.length - 1;
  if (word.endsWith('e')) return end >= r2 || (end >= r1 && !endsShort(word.slice(0, -1))) ? word.slice(0, -1) : word;
  return word.endsWith('ll') && end >= r2 ? word.slice(0, -1) : word;
}
