/**
 * Every regular expression in the sources takes linear time, by the verdict of recheck.
 *
 * Proving all of them takes minutes, so the verdicts are in a file: what is new or takes a few milliseconds is proved at each run,
 * the rest once: `FOOTBRIDGE_PROVE=1 npm run test:unit -- regular-expressions` adds verdicts and removes old ones.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

/** In this process, without a program of its own. */
process.env['RECHECK_BACKEND'] ??= 'pure';
const { checkSync } = await import('recheck');

const PACKAGES = join(import.meta.dirname, '../..');
const VERDICTS = join(import.meta.dirname, 'fixtures/regular-expressions.json');
const SOURCES = ['footbridge', 'engage', 'quilt'].map((name) => join(PACKAGES, name, 'src'));
const QUICK_MS = 6;
const LONGEST_PROOF_MS = 60_000;
const LONGEST_NEW_MS = 5000;

interface Verdicts {
  /** Proved at each run. */
  readonly quick: readonly string[];
  /** Proved when they were added. */
  readonly proved: readonly string[];
}

const COUNTED = 'each repetition has an upper bound, so the work at each position has one';
const ONCE = 'it is tried at one position, and nothing after it can fail';

/** What recheck cannot prove: a part of each expression, and why it is linear. The texts below are redacted with most of them. */
const BOUNDED: readonly (readonly [part: string, reason: string])[] = [
  // secrets/ and redact.ts, at most 16 KB
  [String.raw`GOCSPX-[\w-]{8,}|1`, 'recheck proves each alternative but those below, and a match consumes what it read'],
  [String.raw`sk-(?=[\w-]{0,200}[A-Z0-9])[\w-]{16,}/`, COUNTED],
  [String.raw`|pat)_(?=\w{0,200}[A-Z0-9])[\w=+/-]{16,}/`, COUNTED],
  [String.raw`/(?=[a-z]{0,52}\d)(?=\d{0,52}[a-z])`, COUNTED],
  [String.raw`/\d{8,10}:[\w-]{35}/`, COUNTED],
  [String.raw`(bearer|basic)(\s{1,4}|%20|\+|:\s?)`, COUNTED],
  [String.raw`(\w{1,60}-[\w-]{1,60}|authorization|cookie)`, COUNTED],
  [String.raw`/([\w.$-]{1,80})(?:`, COUNTED],
  [String.raw`/--([\w.-]{1,60})(?:`, COUNTED],
  ['((?:-[uU]|--(?:proxy-)?user)', COUNTED],
  [String.raw`/([a-z][a-z0-9+.-]{0,30}:\/\/)`, COUNTED],
  [String.raw`/[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'${'`'}<>]+|`, COUNTED],
  [String.raw`/(?:[^\\"\r\n]|\\+(?![\\nr])`, ONCE],
  [`/(?<url>[a-z][a-z0-9+.-]{0,30}:`, 'each alternative begins at a place of its own and stops at a character that it excludes'],
  // fetched/
  [String.raw`/\$\{(\w{1,100})\}/`, COUNTED],
  [String.raw`/^(?![-./])(?!.*(?:\.\.|\/\/|@\{))`, 'it is tried at one position, and each part reads the text once'],
  // packages/quilt
  [String.raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,124}\b/`, COUNTED],
  // the command line
  [String.raw`(?!\$\{)[^\s"']{1,500}(?=@)/`, COUNTED],
  [String.raw`/\$\{(?:env:)?(\w{1,200})`, COUNTED],
  [String.raw`/\[[^[\]\n]{0,500}\]`, COUNTED],
  [String.raw`/\B(?=(?:\d{3})+$)/`, 'its input is a number'],
];

const files = SOURCES.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

function* nodesOf(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) for (const each of value) yield* nodesOf(each);
  else if (typeof value === 'object' && value !== null) {
    const node: Readonly<Record<string, unknown>> = { ...value };
    yield node;
    for (const each of Object.values(node)) yield* nodesOf(each);
  }
}

const written = new Set<string>();
/** Files that compose expressions at run time. */
const composing: string[] = [];
for (const file of files) {
  const text = readFileSync(file, 'utf8');
  if (/\bRegExp\(/.test(text)) composing.push(file);
  for (const { type, regex } of nodesOf(parseAst(text, { lang: 'ts' }, file)))
    if (type === 'Literal' && typeof regex === 'object' && regex !== null && 'pattern' in regex && 'flags' in regex)
      written.add(`/${regex.pattern}/${regex.flags}`);
}

/** The expressions that these files compose while they are loaded. Only that of `jira/credentials.ts` is made later, of texts to be found. */
async function composed(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const Original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, [source, flags]) {
      const made = new target(source, flags);
      if (typeof source === 'string') found.add(String(made));
      return made;
    },
  });
  try {
    for (const file of composing) await import(file);
  } finally {
    globalThis.RegExp = Original;
  }
  return found;
}

function verdictOf(expression: string, timeout: number) {
  const end = expression.lastIndexOf('/');
  return checkSync(expression.slice(1, end), expression.slice(end + 1), { timeout });
}

const isBounded = (expression: string) => BOUNDED.some(([part]) => expression.includes(part));

describe('every regular expression', async () => {
  const all = [...new Set([...written, ...(await composed())])].sort();
  const known: Verdicts = JSON.parse(readFileSync(VERDICTS, 'utf8'));

  if (process.env['FOOTBRIDGE_PROVE'])
    it('is proved to take linear time', () => {
      const quick: string[] = [];
      const proved: string[] = [];
      const failed: string[] = [];
      for (const expression of all.filter((each) => !isBounded(each))) {
        if (known.proved.includes(expression)) proved.push(expression);
        else if (known.quick.includes(expression)) quick.push(expression);
        else {
          const start = performance.now();
          const { status, checker } = verdictOf(expression, LONGEST_PROOF_MS);
          if (status !== 'safe') failed.push(`${status}: ${expression}`);
          // The other checker tries texts by chance.
          else (checker === 'automaton' && performance.now() - start < QUICK_MS ? quick : proved).push(expression);
        }
      }
      writeFileSync(VERDICTS, `${JSON.stringify({ quick, proved }, null, 2)}\n`);
      expect(failed).toEqual([]);
    }, 3_600_000);

  it('that is new is proved to take linear time', () => {
    const verdicts = new Set([...known.quick, ...known.proved]);
    const added = all.filter((each) => !isBounded(each) && !verdicts.has(each));
    expect(added.filter((expression) => verdictOf(expression, LONGEST_NEW_MS).status !== 'safe')).toEqual([]);
  });

  it('that recheck cannot prove is still there', () => {
    expect(BOUNDED.filter(([part]) => !all.some((each) => each.includes(part)))).toEqual([]);
  });

  it('that can be proved quickly takes linear time', () => {
    expect(known.quick.filter((expression) => verdictOf(expression, LONGEST_PROOF_MS).status !== 'safe')).toEqual([]);
  });
});
