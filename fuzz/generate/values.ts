/** Hostile values: long, deep, many, odd letters and numbers, names of prototypes, URIs, templates and cursors. */
import fc from 'fast-check';
import { fields, many, nest, raw, repeat, text, type Value } from '../value.js';

/** Texts that parsers, matchers and redactors stumble over when they are repeated. */
const UNITS = [
  'a',
  ' ',
  '\\',
  '/',
  '{',
  '}',
  '{a}',
  '{a,',
  '{/a*}',
  '[',
  '(',
  '%',
  '%2f',
  '..',
  '../',
  '*',
  '?',
  '&',
  '=',
  ':',
  '-',
  '_',
  '.',
  ',',
  '"',
  "'",
  '`',
  '<',
  '<!--',
  '#',
  '@',
  '\n',
  '\t',
  '\0',
  '\u202e',
  '\u200b',
  '\ud800',
  '\udfff',
  'é',
  '\u0301',
  '😀',
  '﷽',
  'ſ',
  'İ',
  'token=',
  'password: ',
  'Bearer ',
  'eyJ',
  '-----BEGIN ',
  'http://',
  'skill://',
  '/etc/',
  'C:\\',
  '\u0024{HOME}',
  '$${',
  '! ',
  '!!map ',
  '&a ',
  '*a ',
  '- ',
  '? ',
  '| ',
  '> ',
  '{{',
  '[[',
  '[a](',
  '![',
  '| a ',
  'word ',
] as const;

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  'then',
  'toJSON',
  '',
  ' ',
  '_meta',
  'id',
  'null',
] as const;

const URIS = [
  'skill://git/SKILL.md',
  'skill://git/../../outside/secret.txt',
  'skill://git/%2e%2e/%2e%2e/outside/secret.txt',
  'skill://long/notes.md',
  'docs://one',
  'docs://a/b',
  'file:///etc/passwd',
  'skill://',
  'skill:///',
  'skill://git/SKILL.md\0',
  'skill://GIT/skill.md',
  'docs://{section}/{page}',
  'docs://{+section}{?a,b}',
  'x:',
  ':',
  'http://[',
  '%',
] as const;

const TEMPLATES = [
  '{a}',
  '{+a}',
  '{#a}',
  '{?a,b,c}',
  '{&a*}',
  '{a:9999}',
  '{a:1}',
  '{/a,b}',
  '{;a}',
  '{.a}',
  '{a}{b}{c}{d}',
  '{a}-{a}',
  '{',
  '}',
  '{{a}}',
  '{a,}',
  '{*}',
  '{}',
] as const;

const NUMBERS = [0, -0, 1, -1, 0.5, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e21, 1e308, -1e308, 5e-324, 9_999_999, 20_000] as const;

/** An object that cannot be made a text or a number. */
const WITHOUT_TEXT: Value = { toString: 1, valueOf: 1 };

export const unit = fc.constantFrom(...UNITS);
export const oddName = fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: 'binary', maxLength: 12 }));

/** Mostly short, sometimes as long as anything may be. */
export function count(bound: number): fc.Arbitrary<number> {
  const most = Math.floor(bound);
  return fc.oneof(
    { weight: 6, arbitrary: fc.nat({ max: Math.min(64, most) }) },
    { weight: 3, arbitrary: fc.nat({ max: Math.min(10_000, most) }) },
    { weight: 1, arbitrary: fc.nat({ max: most }) },
  );
}

/** As it is written in JSON. */
const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2;

export function longText(most: number): fc.Arbitrary<Value> {
  const repeated = fc.tuple(unit, count(most)).map(([each, times]) => repeat(each, Math.min(times, Math.floor(most / bytesOf(each)))));
  const around = fc.tuple(fc.string({ unit: 'binary', maxLength: 8 }), repeated, fc.string({ unit: 'binary', maxLength: 8 }));
  return fc.oneof(
    repeated,
    around.map((parts) => text(...parts)),
    fc.tuple(repeated, repeated).map((parts) => text(...parts)),
  );
}

export const oddText: fc.Arbitrary<Value> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(...URIS, ...TEMPLATES, ...NAMES),
  fc.base64String({ maxLength: 60 }),
  fc.tuple(fc.constantFrom(...URIS), unit, fc.nat({ max: 9000 })).map(([uri, each, times]) => text(uri, repeat(each, times))),
);

/** Anything at all, up to a size in bytes of about `most`. */
export function hostileValue(most: number): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 4, arbitrary: oddText },
    { weight: 4, arbitrary: longText(most) },
    { weight: 2, arbitrary: fc.constantFrom<Value>(null, true, false, [], {}, [null], [[]], { a: null }, WITHOUT_TEXT, [WITHOUT_TEXT]) },
    { weight: 2, arbitrary: fc.constantFrom<Value>(...NUMBERS) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('array', 'object'), count(Math.min(most / 6, 100_000)))
        .map(([kind, depth]) => nest(kind as 'array', depth)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.oneof(oddText, fc.constantFrom<Value>(1, null, {}, 'docs://{#}', 'skill://git/{#}')), count(Math.min(most / 200, 3000)))
        .map(([item, times]) => many(item, times)),
    },
    { weight: 1, arbitrary: count(Math.min(most / 20, 100_000)).map(fields) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('{"__proto__":{"admin":true}}', '{"a":1,"a":2}', '1e999', '-0', '"\\ud800"', '[1,]', '{', 'nul').map(raw),
    },
    { weight: 1, arbitrary: fc.dictionary(oddName, fc.oneof(oddText, fc.constantFrom<Value>(1, null, [])), { maxKeys: 5 }) },
  );
}

/** A valid value with one or two of its parts replaced, removed or added. */
export function mutated(valid: Value, most: number): fc.Arbitrary<Value> {
  const change = fc.record({
    at: fc.nat({ max: 1000 }),
    how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add'),
    name: oddName,
    value: hostileValue(most),
  });
  return fc.array(change, { minLength: 0, maxLength: 3 }).map((changes) => changes.reduce((value, each) => apply(value, each), valid));
}

interface Change {
  readonly at: number;
  readonly how: string;
  readonly name: string;
  readonly value: Value;
}

function apply(value: Value, { at, how, name, value: other }: Change): Value {
  const paths = pathsIn(value, []);
  const path = paths[at % paths.length] ?? [];
  return changed(value, path, (old) => {
    if (how === 'replace') return other;
    if (typeof old !== 'object' || old === null || Array.isArray(old)) return how === 'remove' ? undefined : other;
    return how === 'remove' ? undefined : Object.fromEntries([...Object.entries(old), [name, other]]);
  });
}

type Path = readonly (string | number)[];

function pathsIn(value: Value, path: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  if (Object.keys(value).some((key) => key.startsWith('$'))) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, Array.isArray(value) ? Number(key) : key]))];
}

function changed(value: Value, path: Path, change: (old: Value) => Value | undefined): Value {
  const [first, ...rest] = path;
  if (first === undefined) return change(value) ?? null;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    if (key !== String(first)) return [[key, item] as const];
    const next = rest.length === 0 ? change(item) : changed(item, rest, change);
    return next === undefined ? [] : [[key, next] as const];
  });
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
