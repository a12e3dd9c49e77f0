/** Secrets in a sentence: `password "value" rejected`, `the token is value`, `key (value)`, `PAT value`. */
import { isSecretName, REDACTED } from './names.js';
import { endOfValue } from './values.js';

/** A name, the words that link it to a value, and the bracket around it. */
const SAID =
  /(?<![\w.-])([A-Za-z][\w.-]{0,60})["'`]?[ \t]{1,4}((?:is|was|were|equals|reads|lautet|ist|war|est):?[ \t]{1,4})?(\(?)(?=[^\s(])/g;
/** Of these every value is a secret that does not read as words; others, as `token` and `key`, also stand before names and numbers. */
const PASSWORD = /pass|pwd|secret|credential|kennwort|senha|wachtwoord/i;
/** `api key is …`: the purpose of a key shows that it is a secret. */
const BEFORE_KEY = /\b(?:api|access|account|encryption|license|private|secret|signing)[ \t]$/i;
/** Statements about a password rather than the password itself; most other words are the password. */
const ABOUT_IT = new Set(
  (
    'a about again all already also always an another any as at available bad being best blank both but by case compromised correct ' +
    'currently defined different disabled due either empty enabled enough exactly fine for forbidden from good hard hashed hidden identical ' +
    'in incorrect insecure intact invalid it just known like locked longer lost mandatory mismatched missing my necessary needed never new no none not ' +
    'null obsolete of off ok okay old on only open optional or our out outdated part present private public right safe same secret secure set ' +
    'shorter shown similar simple stale still strong such sent that the their there this to too trivial undefined unique unknown unset unsafe ' +
    'up used valid very visible weak what where whitespace with within without wrong yet your leer falsch ung\u00fcltig abgelaufen erforderlich nicht zu ' +
    'kein ein eine der die das korrekt bekannt'
  ).split(' '),
);
/** Participles and adjectives: `rejected`, `missing`, `acceptable`, `case-sensitive`. */
const DESCRIBES = /(?:ed|en|ing|able|ible|sensitive)$/i;
/** In quotes right after it, any word is one. */
const BEFORE_QUOTES = /(?:password|passwd|passphrase|passcode|pwd)$/i;
/** In a sentence a verb. */
const VERB = /^pass$/i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** `text` with the values that it calls secret replaced. */
export function redactStatements(text: string): string {
  let shown = '';
  let done = 0;
  for (const { index, 0: whole, 1: name = '', 2: link, 3: bracket } of text.matchAll(SAID)) {
    // In an escaped `\npassword` the first letter belongs to the escape.
    const subject = text[index - 1] === '\\' ? name.slice(1) : name;
    if (index < done || VERB.test(subject) || !isSecretName(subject)) continue;
    const start = index + whole.length;
    const { from, value } = valueAt(text, start);
    const pointedAt = link !== undefined || bracket !== '' || from > start;
    const quoted = link === undefined && from > start && BEFORE_QUOTES.test(subject) && /^\S+$/.test(value);
    const named = PASSWORD.test(subject) || (/^key$/i.test(subject) && BEFORE_KEY.test(text.slice(Math.max(0, index - 12), index)));
    const stated = link !== undefined && named && isStated(value);
    if (!quoted && !stated && !(pointedAt ? isSecret(subject, value) : isToken(value))) continue;
    shown += `${text.slice(done, from)}${REDACTED}`;
    done = from + value.length;
  }
  return shown + text.slice(done);
}

/** In quotes that are closed all of it; else one word, which an escape ends too, as the `\\n` of a string within JSON. */
function valueAt(text: string, start: number): { readonly from: number; readonly value: string } {
  const { from, to } = endOfValue(text, start);
  const value = text.slice(from, to);
  if (from > start && /["'`\\]/.test(text.charAt(to))) return { from, value };
  return { from, value: (value.split(/[\s\\]/, 1)[0] ?? '').replace(/[:.)\]]{1,8}$/, '') };
}

/** Whether the text after `password is` is the password. */
function isStated(value: string): boolean {
  if (value === '' || value.includes(REDACTED)) return false;
  const word = value.toLowerCase();
  return word.length > 2 && !ABOUT_IT.has(word) && !DESCRIBES.test(word);
}

function isSecret(name: string, value: string): boolean {
  if (isToken(value)) return true;
  if (value.length < 7 || value.includes(REDACTED) || readsAsWords(value)) return false;
  return PASSWORD.test(name) || (value.length > 7 && /\d/.test(value) && /^[^\s()[\]{}<>"'`/\\:,;]+$/.test(value) && !UUID.test(value));
}

/** A run of letters and digits that is too long to be a word, even without further evidence. */
function isToken(value: string): boolean {
  return /^[A-Za-z0-9]{20,}$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** `too short`, `order_2024`, `at least 8`. */
function readsAsWords(value: string): boolean {
  return value.split(/[\s_'’.,-]+/).every((word) => /^(?:[A-Z]?[a-z]*|[A-Z]+|\d{1,5}|\W+)$/.test(word));
}
