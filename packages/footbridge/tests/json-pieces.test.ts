import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLargeJson, jsonPieces, keepJson, largeJson } from '../src/json-pieces.js';
import { setJsonText, writeJson } from '../src/json-text.js';

const LONG = 100_000;
const longText = fc
  .tuple(fc.constantFrom('a', '"', '\\', '\0', 'é', '\ud800', '\udfff', '😀', 'a😀', '\ud800a'), fc.nat({ max: LONG }))
  .map(([unit, times]) => unit.repeat(times));

describe('jsonPieces', () => {
  it('writes what JSON.stringify writes', () => {
    const value = fc.oneof(fc.anything({ withDate: true, withBoxedValues: true, withNullPrototype: true }), longText);
    fc.assert(
      fc.property(fc.array(value), fc.dictionary(fc.oneof(fc.string(), longText), value), (list, fields) => {
        for (const object of [list, fields, { fields: [list, fields] }])
          expect([...jsonPieces(object)].join('')).toBe(JSON.stringify(object));
      }),
      { numRuns: 20 },
    );
  });

  it('never splits a surrogate pair', () => {
    const object = { one: '😀'.repeat(LONG), ['😀'.repeat(LONG)]: `a${'😀'.repeat(LONG)}` };
    const bytes = Buffer.concat([...jsonPieces(object)].map((piece) => Buffer.from(piece)));
    expect(bytes.toString()).toBe(JSON.stringify(object));
  });

  it('writes each piece in a few thousand characters, however long one text is', () => {
    const pieces = [...jsonPieces({ text: '\ud800'.repeat(10 * LONG), ['"'.repeat(LONG)]: 1 })];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300_000);
  });

  it('inserts serialized fields at their position', () => {
    const object = { first: '#the JSON of footbridge#', rest: {} };
    setJsonText(object.rest, 'data', `{"a":"${'é'.repeat(LONG)}"}`);
    expect([...jsonPieces(object)].join('')).toBe(writeJson(object));
  });

  it('throws for a circular value before it writes any of it again', () => {
    const circle: Record<string, unknown> = { text: 'a'.repeat(LONG) };
    circle['list'] = [{ circle }];
    let written = 0;
    expect(() => {
      for (const piece of jsonPieces({ circle })) written += piece.length;
    }).toThrow(TypeError);
    expect(written).toBeLessThan(2 * LONG);
  });

  it('writes a value that is contained several times as often', () => {
    const shared = { text: 'a'.repeat(LONG) };
    const object = { shared, list: [shared, { shared }] };
    expect([...jsonPieces(object)].join('')).toBe(JSON.stringify(object));
  });
});

describe('largeJson', () => {
  it('yields to other tasks', async () => {
    const text = '\ud800'.repeat(20 * LONG);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const json = await largeJson({ text });
    clearInterval(timer);
    expect(JSON.parse(json)).toEqual({ text });
    expect(turns).toBeGreaterThan(3);
  });
});

describe('keepJson', () => {
  const lists = [['plain', { a: [1, undefined] }], Array.from({ length: 20_000 }, (_, index) => ({ index })), ['#the JSON of footbridge#']];

  it.each(lists)('leaves an array and what is written of it as they were', async (...list: unknown[]) => {
    const copy = [...list];
    const json = JSON.stringify(list);
    await keepJson(list);
    expect(list).toEqual(copy);
    expect(structuredClone(list)).toEqual(copy);
    for (const object of [{ list }, [list, list], { before: 1, list, after: [list] }]) {
      expect(writeJson(object)).toBe(JSON.stringify(object));
      expect([...jsonPieces(object)].join('')).toBe(JSON.stringify(object));
    }
    expect(JSON.stringify({ list })).toBe(`{"list":${json}}`);
  });

  it('writes the elements once for all answers', async () => {
    let written = 0;
    const list = [{ toJSON: () => ++written }];
    await keepJson(list);
    expect([writeJson({ list }), [...jsonPieces({ list })].join('')]).toEqual(['{"list":[1]}', '{"list":[1]}']);
    expect(written).toBe(1);
  });

  it.each([5000, 20_000])('writes a list of %i once for answers that ask at the same time', async (length) => {
    let written = 0;
    const list = Array.from({ length }, () => ({ text: 'a'.repeat(30), toJSON: () => ++written }));
    await Promise.all([keepJson(list), keepJson(list), keepJson(list)]);
    expect(JSON.parse(writeJson({ list }))).toEqual({ list: Array.from({ length }, (_, index) => index + 1) });
    expect(written).toBe(length);
  });

  it('counts what was kept as large', async () => {
    const list = ['a'.repeat(LONG), 'a'.repeat(LONG)];
    await keepJson(list);
    expect(isLargeJson({ list })).toBe(true);
  });
});

describe('isLargeJson', () => {
  it('counts texts, names, JSON texts and values', () => {
    const written = {};
    setJsonText(written, 'data', `"${'a'.repeat(2 * LONG)}"`);
    expect(isLargeJson({ content: [{ type: 'text', text: 'a'.repeat(LONG) }] })).toBe(false);
    expect(isLargeJson({ content: Array.from({ length: 2 }, () => ({ text: 'a'.repeat(LONG) })) })).toBe(true);
    expect(isLargeJson({ ['a'.repeat(2 * LONG)]: 1 })).toBe(true);
    expect(isLargeJson({ deep: [{ written }] })).toBe(true);
    expect(isLargeJson(Array.from({ length: 20_000 }, () => 1))).toBe(true);
  });
});
