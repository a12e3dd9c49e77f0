/** JSON of resources in code is sent exactly as it was written. */
import { describe, expect, it } from 'vitest';
import { setJsonText, writeJson } from '../src/json-text.js';

const MARK = '#the JSON of footbridge#';

function holding(text: string, more: object = {}): object {
  const structure = { success: true, ...more };
  setJsonText(structure, 'data', text);
  return structure;
}

describe('serialized JSON', () => {
  it('is written unchanged', () => {
    const numbers = '{"large":12345678901234567890,"negative":-0,"text":"\\u00e9\\"é"}';
    expect(writeJson({ first: holding(numbers), second: [holding('[1,2]', { after: 1 })] })).toBe(
      `{"first":{"success":true,"data":${numbers}},"second":[{"success":true,"after":1,"data":[1,2]}]}`,
    );
  });

  it('is parsed on access, once', () => {
    const structure: { data?: unknown } = holding('{"a":[1]}');
    expect(structure.data).toEqual({ a: [1] });
    expect(structure.data).toBe(structure.data);
    expect({ ...structure }).toEqual({ success: true, data: { a: [1] } });
    expect(JSON.parse(JSON.stringify(structure))).toEqual({ success: true, data: { a: [1] } });
  });

  it('is not confused with a text equal to its marker', () => {
    for (const object of [{ before: MARK, structure: holding('1') }, { structure: holding('1'), after: MARK }, { only: MARK }])
      expect(JSON.parse(writeJson(object))).toEqual(JSON.parse(JSON.stringify(object)));
  });

  it('leaves no state behind when serialization fails', () => {
    const circle: { self?: unknown } = holding('1');
    circle.self = circle;
    expect(() => writeJson(circle)).toThrow(TypeError);
    expect(JSON.stringify(holding('{"a":1}'))).toBe('{"success":true,"data":{"a":1}}');
  });
});
