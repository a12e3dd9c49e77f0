/** Redacts secrets from results and errors. */
import { encodingsOf } from 'footbridge/pack';

const REMOVED = '[removed]';

/** Names of fields whose values are secret. */
const NAMES = 'secret|secret[_-]?(?:access[_-]?)?key|token|(?:api|private|account)[_-]?key|passw(?:or)?d|pwd|passphrase';

/**
 * Each runs in linear time. In order: private keys, signed URLs (also URL-encoded), signatures, passwords in URLs, authorization headers,
 * values of secret fields, AWS keys, JWTs, and tokens with known prefixes.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
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

/** A fast check: every text that one of the patterns matches also matches this. */
const HINT =
  /PRIVATE KEY|X-(?:Amz|Goog)-|AWSAccessKeyId|sig(?:nature)?(?:=|%)|:\/\/[^\s/]*@|Bearer|Basic|secret|token|key|passw|pwd|passphrase|A(?:KI|SI|BI|CC)A|eyJ|qk_|gh[pousr]_|github_pat|xox/i;

/** Shorter strings would match ordinary text. */
const MIN_LENGTH = 8;
/** Logins change and credentials are renewed; the oldest are forgotten. */
const MAX_SECRETS = 200;

/** Redacts known secrets by value, and others by pattern. */
export class Secrets {
  /** The most recently used is last. */
  readonly #used = new Set<string>();
  /** All encodings of all secrets. */
  #forms: readonly string[] = [];

  add(...secrets: readonly (string | undefined)[]): void {
    const before = this.#used.size;
    let isNew = false;
    for (const secret of secrets) {
      if (secret === undefined || secret.length < MIN_LENGTH) continue;
      if (!this.#used.delete(secret)) isNew = true;
      this.#used.add(secret);
    }
    if (!isNew && this.#used.size === before) return;
    for (const oldest of this.#used) {
      if (this.#used.size <= MAX_SECRETS) break;
      this.#used.delete(oldest);
    }
    this.#forms = encodingsOf(this.#used);
  }

  redact(text: string): string {
    let clean = text;
    for (const form of this.#forms) if (clean.includes(form)) clean = clean.replaceAll(form, REMOVED);
    if (HINT.test(clean)) for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
    return clean;
  }

  /** Redacts all strings in a JSON value. */
  redactAll(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (Array.isArray(value)) return value.map((each) => this.redactAll(each));
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.redactAll(each)]));
  }
}

/** How far back to look for a word boundary. */
const MARGIN = 4096;

/** Truncates at a word boundary, since a partial secret would not be recognized. */
export function truncateWords(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength);
  const from = Math.max(0, maxLength - MARGIN);
  const lastWord = kept.slice(from).search(/\s\S*$/);
  return lastWord === -1 ? kept.slice(0, from) : kept.slice(0, from + lastWord);
}
