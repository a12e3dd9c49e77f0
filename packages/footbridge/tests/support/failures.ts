/** Failures with a secret in them, of every kind and form. */
import fc from 'fast-check';
import { FootbridgeError } from 'footbridge';

const SMALL = 'abcdefghijklmnopqrstuvwxyz';
const LETTERS = `${SMALL}${SMALL.toUpperCase()}`;
const DIGITS = '0123456789';
const of = (alphabet: string, length: number) => fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
const word = (length: number) => of(LETTERS + DIGITS, length);
const url64 = (length: number) => of(`${LETTERS}${DIGITS}-_`, length);
const base64 = (length: number) => of(`${LETTERS}${DIGITS}+/`, length);
const prefixed = (prefix: string, rest: fc.Arbitrary<string>) => rest.map((end) => prefix + end);

/** Secrets that are recognised by their format. */
const standing = fc.oneof(
  ...['ghp_', 'gho_', 'ghs_', 'ghr_', 'npm_'].map((prefix) => prefixed(prefix, word(36))),
  prefixed('github_pat_', word(60)),
  prefixed('glpat-', url64(20)),
  prefixed('ATATT3x', url64(60)),
  prefixed('xoxb-', word(40)),
  prefixed('sk-', word(48)),
  prefixed('sk_live_', word(24)),
  prefixed('AIza', url64(35)),
  prefixed('hf_', word(34)),
  prefixed('dop_v1_', of('0123456789abcdef', 64)),
  fc.tuple(url64(22), url64(43)).map(([id, secret]) => `SG.${id}.${secret}`),
  prefixed('AKIA', of(SMALL.toUpperCase() + DIGITS, 16)),
  base64(40),
  base64(300),
  fc.tuple(url64(20), url64(60), url64(43)).map(([head, body, sign]) => `eyJ${head}.eyJ${body}.${sign}`),
  base64(180).map((body) => `-----BEGIN PRIVATE KEY-----\n${body.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----`),
  of(`${SMALL}234567`, 50).map((text) => `a2${text}`),
  prefixed('Bearer ', word(20)),
  fc.tuple(word(8), of(`${LETTERS}${DIGITS}!$*`, 16)).map(([user, pass]) => `Basic ${btoa(`${user}:${pass}`)}`),
  // Not after a digit: `bob:3/` is a host and a port.
  prefixed('https://bob:Q', of(`${LETTERS}${DIGITS}!$*-_.~:@/`, 20)).map((start) => `${start}@db.example.org`),
);
/** Passwords have no format; they are recognised by the text around them. */
const password = of(`${LETTERS}${DIGITS}!$*+-_.~^#`, 16).map((text) => `Q${text}q`);
const name = fc.constantFrom(
  ...'password passwd pwd DB_PASSWORD dbPassword api_key apikey x-api-key apiKey token access_token githubToken'.split(' '),
  ...'client_secret CLIENT-SECRET secret session sessionId signature private_key X-Amz-Signature code_verifier auth pat'.split(' '),
);
const named = fc
  .tuple(
    name,
    password,
    fc.constantFrom<(name: string, secret: string) => string>(
      (key, secret) => `${key}=${secret}`,
      (key, secret) => `${key}: ${secret}`,
      (key, secret) => `"${key}": "${secret}"`,
      (key, secret) => `'${key}' => '${secret}'`,
      (key, secret) => `--${key} ${secret}`,
      (key, secret) => `${key}%3D${secret}`,
      (key, secret) => `https://example.org/a?page=1&${key}=${encodeURIComponent(secret)}&size=2`,
      (key, secret) => JSON.stringify({ body: JSON.stringify({ [key]: secret, user: 'bob' }) }),
      (key, secret) => `{"${key}":"two words ${secret}"}`,
    ),
  )
  .map(([key, secret, format]) => ({ secret, text: format(key, secret) }));
/** Ordinary words after such a name are not redacted, so these contain a digit. */
const said = fc
  .tuple(
    fc.constantFrom(...'password passwd DB_PASSWORD client_secret secret token access_token api_key PAT credential'.split(' ')),
    fc.oneof(
      password.map((text) => `${text}7q`),
      of('0123456789abcdef', 38).map((text) => `a1${text}`),
      of(`${SMALL}234567`, 50).map((text) => `a2${text}`),
    ),
    fc.constantFrom<(name: string, secret: string) => string>(
      (key, secret) => `${key} "${secret}" rejected`,
      (key, secret) => `the ${key} is ${secret}`,
      (key, secret) => `${key} was: ${secret}`,
      (key, secret) => `${key} (${secret})`,
      (key, secret) => `${key}: |\n  ${secret}`,
      (key, secret) => `${key}: >-\n    first\n    ${secret}`,
    ),
  )
  .map(([key, secret, format]) => ({ secret, text: format(key, secret) }));
/** Tokens without a format, recognised only by the word before them. */
const after = fc
  .tuple(fc.constantFrom('PAT', 'token', 'key', 'secret', 'password', 'credential'), of('0123456789abcdef', 38))
  .map(([key, text]) => ({ secret: `a1${text}`, text: `${key} a1${text}` }));
const login = fc
  .tuple(
    password,
    fc.constantFrom<(secret: string) => string>(
      (secret) => `curl -u bob:${secret} https://example.org`,
      (secret) => `curl --user 'bob:${secret}' https://example.org`,
      (secret) => `bob:${secret}@tcp(db.example.org:3306)/shop`,
      (secret) => `mysql://root:two ${secret}@db.example.org/shop`,
    ),
  )
  .map(([secret, format]) => ({ secret, text: format(secret) }));
const header = fc
  .tuple(fc.constantFrom('Authorization: ', 'Cookie: sid=', 'Set-Cookie: a=1; b='), password)
  .map(([start, secret]) => ({ secret, text: `${start}${secret}` }));
const hidden = fc.oneof({ weight: 3, arbitrary: standing.map((secret) => ({ secret, text: secret })) }, named, said, after, login, header);

const sentence = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `Request failed: ${text}`,
  (text) => `The upstream said ${text} and gave up`,
  (text) => `Login refused (${text}).`,
  (text) => `first line\n${text}\nlast line`,
  (text) => `GET https://api.example.org/v1/items failed, sent ${text}`,
  (text) => JSON.stringify({ error: { message: `Refused: ${text}`, status: 'bad' } }),
  (text) => JSON.stringify({ lines: `one\n${text}\ntwo` }),
  (text) => `${'filler '.repeat(1150)}${text} ${'filler '.repeat(500)}`,
  (text) => `${text}\n    at read (/srv/${text}/app.js:1:2)`,
);
const shape = fc.constantFrom<(text: string) => unknown>(
  (text) => new Error(text),
  (text) => new TypeError('fetch failed', { cause: new Error(text) }),
  (text) => new Error(text, { cause: new Error(text, { cause: text }) }),
  (text) => new AggregateError([new Error('first'), new Error(text)], text),
  (text) => ({ message: text, code: 'ECONNRESET' }),
  (text) => Object.assign(new Error(text), { status: 403, response: { status: 403, data: text, headers: { authorization: text } } }),
  (text) => Object.assign(new Error('refused'), { name: text, code: text, data: { error: text, reason: text } }),
  (text) => text,
  (text) => Symbol(text),
  (text) => new FootbridgeError('NotFound', text, { suggestedActions: [text], details: text }),
);

/** A thrown value, and the parts of its secret, none of which may be shown. */
export const failuresWithSecrets = fc.tuple(hidden, sentence, shape).map(([{ secret, text }, say, make]) => {
  const known = secret.replace(/^Bearer |^Basic |^https:\/\/bob:Q|@db\.example\.org$|-----(?:BEGIN|END) PRIVATE KEY-----/g, '');
  const pieces = Array.from({ length: Math.max(0, known.length - PIECE + 1) }, (_, at) => known.slice(at, at + PIECE));
  return { thrown: make(say(text)), pieces };
});

const PIECE = 12;
