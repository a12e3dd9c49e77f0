/** Puts JSON text into an answer without parsing and stringifying it again, which would cost as much as the rest of a call. */

/** Placeholder for the text. If other text contains it too, everything is stringified instead. */
const MARK = '#the JSON of footbridge#';
const QUOTED_MARK = JSON.stringify(MARK);

/** The texts of the object that is being stringified, in order. */
let taken: string[] | undefined;

/** Adds a field with the value of a JSON text on one line. The text is parsed when the field is read. */
export function setJsonText(object: object, field: string, text: string): void {
  let value: unknown;
  let isParsed = false;
  Object.defineProperty(object, field, {
    enumerable: true,
    configurable: true,
    get() {
      if (taken !== undefined) {
        taken.push(text);
        return MARK;
      }
      if (!isParsed) value = JSON.parse(text);
      isParsed = true;
      return value;
    },
  });
}

const ownTexts = new WeakMap<object, string>();

/** Stores the JSON of an immutable array, so that it is not written again for each answer. */
export function setOwnJson(array: readonly unknown[], text: string): void {
  ownTexts.set(array, text);
  Object.defineProperty(array, 'toJSON', {
    value() {
      if (taken === undefined) return array;
      taken.push(text);
      return MARK;
    },
  });
}

/** The JSON stored by `setOwnJson`. */
export function ownJsonOf(array: readonly unknown[]): string | undefined {
  return ownTexts.get(array);
}

/** Calls `read`, for which a field of `setJsonText` is a placeholder. `texts` gets the texts of those fields, in order. */
export function withoutJsonTexts<T>(texts: string[], read: () => T): T {
  taken = texts;
  try {
    return read();
  } finally {
    taken = undefined;
  }
}

/** As `JSON.stringify`, of objects. */
export function writeJson(object: object): string {
  const texts: string[] = [];
  const json = withoutJsonTexts(texts, () => JSON.stringify(object));
  let whole = '';
  let from = 0;
  for (const text of texts) {
    const at = json.indexOf(QUOTED_MARK, from);
    whole += json.slice(from, at) + text;
    from = at + QUOTED_MARK.length;
  }
  // With more placeholders than ours, it is unknown which are ours.
  return texts.length > 0 && json.includes(QUOTED_MARK, from) ? JSON.stringify(object) : whole + json.slice(from);
}
