/** What must not get into an answer, wherever it came from. */

const REMOVED = '[removed]';

/** Names of what is secret, as files and queries have them: the value beside one goes. */
const NAMES = 'secret|secret[_-]?(?:access[_-]?)?key|token|(?:api|private|account)[_-]?key|passw(?:or)?d|pwd|passphrase';

/**
 * Each takes time in proportion to the text: what may repeat begins where nothing of its kind stands before it, or has an end. In turn:
 * private keys, what signs a URL (also where the URL is itself encoded), a signature, a password in an address, a value beside the name
 * of a secret, keys of AWS, tokens that registries issue.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, REMOVED],
  [/(X-(?:Amz|Goog)-(?:Algorithm|Credential|Security-Token|Signature)(?:=|%(?:25)?3D|["']?: ?["']?))[^&\s"'<>]*/gi, `$1${REMOVED}`],
  [/((?:[?&;]|%(?:25)?(?:3F|26)|\\u0026)(?:AWSAccessKeyId|Signature|sig)(?:=|%(?:25)?3D))[^&\s"'<>]*/gi, `$1${REMOVED}`],
  [/\b(Signature=)[0-9a-f]{64}\b/gi, `$1${REMOVED}`],
  [/(:\/\/[^\s/:@"'<>]{0,64}:)[^\s/@"'<>]{1,256}@/g, `$1${REMOVED}@`],
  [/\b((?:Bearer|Authorization["']?\s{0,8}[:=]\s{0,8}["']?Basic)\s{1,8})[\w.~+/-]{8,}=*/gi, `$1${REMOVED}`],
  [
    new RegExp(
      `((?:${NAMES})["'\`]?\\s{0,8}[:=]\\s{0,8}(?:[|>][+-]?\\s{1,80})?)(?:"[^"\\n]{6,}"|'[^'\\n]{6,}'|(?!\\[removed|(?:Bearer|Basic)\\s)[^\\s"',;&{}()<>]{8,})`,
      'gi',
    ),
    `$1${REMOVED}`,
  ],
  [/(?:(?<![A-Za-z0-9])|(?<=%[0-9A-F]{2}))(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,124}\b/g, REMOVED],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REMOVED],
  [/\b(?:qk_|gh[pousr]_|github_pat_|xox[abeoprs]-)[\w-]{8,}/g, REMOVED],
];

/** Nothing that looks like a secret is without one of these, and most texts are. */
const HINT =
  /PRIVATE KEY|X-(?:Amz|Goog)-|AWSAccessKeyId|sig(?:nature)?(?:=|%)|:\/\/[^\s/]*@|Bearer|Basic|secret|token|key|passw|pwd|passphrase|A(?:KI|SI|BI|CC)A|eyJ|qk_|gh[pousr]_|github_pat|xox/i;

/** Shorter ones could be a part of anything. */
const SHORTEST = 8;
/** Logins change, and credentials are renewed. */
const MOST_KNOWN = 200;

/** The secrets in use, which are removed by what they are; all others by how they look. */
export class Secrets {
  /** The one that was in use last is the last. */
  readonly #used = new Set<string>();
  /** In every form that they may come back in, the longest first: one may begin as another does. */
  #forms: readonly string[] = [];

  /** Remembers what is secret from now on; what was known before stays so. */
  add(...secrets: readonly (string | undefined)[]): void {
    const before = this.#used.size;
    let isNew = false;
    for (const secret of secrets) {
      if (secret === undefined || secret.length < SHORTEST) continue;
      if (!this.#used.delete(secret)) isNew = true;
      this.#used.add(secret);
    }
    if (!isNew && this.#used.size === before) return;
    for (const oldest of this.#used) {
      if (this.#used.size <= MOST_KNOWN) break;
      this.#used.delete(oldest);
    }
    this.#forms = [...new Set([...this.#used].flatMap(formsOf))].sort((one, other) => other.length - one.length);
  }

  /** The text without them. */
  removeFrom(text: string): string {
    let clean = text;
    for (const form of this.#forms) if (clean.includes(form)) clean = clean.replaceAll(form, REMOVED);
    if (HINT.test(clean)) for (const [shape, replacement] of SHAPES) clean = clean.replace(shape, replacement);
    return clean;
  }

  /** The same value, its texts without them. Values are what JSON can hold. */
  removeFromAll(value: unknown): unknown {
    if (typeof value === 'string') return this.removeFrom(value);
    if (Array.isArray(value)) return value.map((each) => this.removeFromAll(each));
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.removeFromAll(each)]));
  }
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

/** How much may go at the cut for it to be between two words. */
const MARGIN = 4096;

/** At most so much of a text. It ends between two words, since half a secret is not known for one. */
export function cutBetweenWords(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = text.slice(0, longest);
  const from = Math.max(0, longest - MARGIN);
  const lastWord = kept.slice(from).search(/\s\S*$/);
  return lastWord === -1 ? kept.slice(0, from) : kept.slice(0, from + lastWord);
}
