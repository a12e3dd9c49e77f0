// `data` of a read: parsed JSON, made once for texts that do not change.
import { describe, expect, it } from 'vitest';
import { isoTime } from '../src/iso-time.js';
import { toData } from '../src/surfaces/tools/resource-data.js';

const json = (text: string, mimeType = 'application/json') => toData({ uri: 'test://x', mimeType, text });

describe('the data of a resource', () => {
  it('is parsed once for a text that is read again', () => {
    const text = '{ "list": [1, { "deep": true }], "none": null }';
    expect(json(text)).toEqual({ list: [1, { deep: true }], none: null });
    expect(json(text)).toBe(json(text));
  });

  it('cannot be changed by those who share it', () => {
    const text = '{ "shared": { "list": [1] } }';
    const data = json(text);
    expect(() => Object.assign(data as object, { shared: 1 })).toThrow(TypeError);
    expect(() => (data as { shared: { list: number[] } }).shared.list.push(2)).toThrow(TypeError);
    expect(json(text)).toEqual({ shared: { list: [1] } });
  });

  it('is that of the text, however many others were read in between', () => {
    for (let round = 0; round < 2; round++)
      for (let index = 0; index < 200; index++) expect(json(`{ "index": ${index} }`)).toEqual({ index });
  });

  it('is null, false or a string where the JSON is', () => {
    for (const value of [null, false, 0, '', 'text'])
      for (let round = 0; round < 2; round++) expect(json(JSON.stringify(value))).toBe(value);
  });

  it('is the text where it is not JSON, or would lose digits', () => {
    for (const text of ['{', '{ "id": 12345678901234567890 }', '-0', '1e999'])
      for (let round = 0; round < 2; round++) expect(json(text)).toEqual({ text });
    expect(json('{}', 'text/plain')).toEqual({ text: '{}' });
    expect(json('{}', 'application/ld+json')).toEqual({});
  });
});

describe('isoTime', () => {
  it('returns what Date does', () => {
    const start = Date.UTC(2026, 10, 19, 23, 59, 58, 990);
    for (let at = start; at < start + 2100; at += 7) expect(isoTime(at)).toBe(new Date(at).toISOString());
    for (const at of [0, -1, -1000, 999, 1000, 253402300799999]) expect(isoTime(at)).toBe(new Date(at).toISOString());
  });
});
