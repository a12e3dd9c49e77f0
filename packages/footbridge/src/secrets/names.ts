/** Names that mark a secret: `DB_PASSWORD`, `x-api-key`, `githubToken`, and not `token_count` or `primaryKey`. */

const SECRET_WORDS = new Set(
  (
    'key apikey token secret secrets password passwords passwd pwd pass passphrase passcode pat pin otp jwt bearer auth ' +
    'authorization credential credentials creds sig signature hmac session sid cookie cookies csrf xsrf verifier ' +
    'passwort kennwort passe senha wachtwoord contrasena'
  ).split(' '),
);

/** Compound words: `dbpassword`, `PGPASSWORD`, `PHPSESSID`. */
const SECRET_ENDING =
  /(?:password|passwd|passphrase|passcode|secret|token|(?:api|access|secret|private|account)key|credentials?|signature|cookie|session|sess(?:ion)?id)$/;

/** Statements about a secret rather than the secret itself. */
const ABOUT = new Set(
  (
    'type count length limit size url uri endpoint expires expiry expiration ttl status error exception failure ' +
    'algorithm version mode layout required'
  ).split(' '),
);

/** Kinds of key that are not secret. */
const OPEN_KEYS = new Set(['public', 'primary', 'foreign', 'partition', 'sort', 'unique', 'cache', 'duplicate']);

/** Whether a value with this name is a secret, in any spelling of the name. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  if (ABOUT.has(words.at(-1) ?? '')) return false;
  const telling = words.filter((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word));
  if (telling.every((word) => word === 'key') && words.some((word) => OPEN_KEYS.has(word))) return false;
  return telling.length > 0;
}

export const REDACTED = '[redacted]';
export const PATH = '[path]';

/**
 * Where a token may begin: not within a word, but right after an escape such as `\n` or `%20`,
 * whose last letter is no part of the word.
 */
export const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]|%[0-9A-Fa-f]{2}))`;
