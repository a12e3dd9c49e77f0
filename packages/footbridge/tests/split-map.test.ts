/** A map in parts has what a map has, however many entries there are. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberOfText, SplitMap } from '../src/split-map.js';

describe('a map in parts', () => {
  it('keeps every entry while it grows and shrinks', () => {
    const map = new SplitMap<string, number>(numberOfText);
    for (let at = 0; at < 10_000; at++) map.set(`key ${at}`, at);
    for (let at = 0; at < 10_000; at += 2) map.set(`key ${at}`, -at);
    expect(map.size).toBe(10_000);
    for (let at = 0; at < 10_000; at++) expect(map.get(`key ${at}`)).toBe(at % 2 === 0 ? -at : at);
    for (let at = 0; at < 10_000; at += 2) expect(map.delete(`key ${at}`)).toBe(true);
    expect(map.delete('key 0')).toBe(false);
    expect(map.size).toBe(5000);
    expect([map.has('key 0'), map.has('key 1'), map.get('key 2'), map.get('key 3')]).toEqual([false, true, undefined, 3]);
  });

  it('has the entries of a map with any numbers as keys', () => {
    fc.assert(
      fc.property(fc.array(fc.double(), { minLength: 5000, maxLength: 5000 }), (keys) => {
        const entries = keys.map((key, at) => [key, at] as const);
        const map = new SplitMap<number, number>((key) => key);
        for (const [key, at] of entries) map.set(key, at);
        const plain = new Map(entries);
        expect(map.size).toBe(plain.size);
        for (const key of keys) expect(map.get(key)).toBe(plain.get(key));
        expect(new Set(map.keys())).toEqual(new Set(plain.keys()));
        expect([...map.values()].sort()).toEqual([...plain.values()].sort());
        map.clear();
        expect([map.size, ...map.keys()]).toEqual([0]);
      }),
      { numRuns: 5 },
    );
  });
});
