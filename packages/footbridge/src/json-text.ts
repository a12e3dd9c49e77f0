/** JSON that was written here goes into an answer as it is: to parse it and write it again costs as much as the rest of a call. */

/** Stands where the text goes. Where somebody's text is the very same, the long way is taken. */
const MARK = '#the JSON of footbridge#';
const QUOTED_MARK = JSON.stringify(MARK);

/** The texts that belong in what is being written at the moment, in their order. */
let taken: string[] | undefined;

/** Gives an object a field whose value is that of the text, which has to be JSON on one line. It is parsed when somebody looks. */
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

/** As `JSON.stringify`, of objects. */
export function writeJson(object: object): string {
  const texts: string[] = [];
  taken = texts;
  let json: string;
  try {
    json = JSON.stringify(object);
  } finally {
    taken = undefined;
  }
  let whole = '';
  let from = 0;
  for (const text of texts) {
    const at = json.indexOf(QUOTED_MARK, from);
    whole += json.slice(from, at) + text;
    from = at + QUOTED_MARK.length;
  }
  // Where there are more marks than ours, which is whose cannot be told.
  return texts.length > 0 && json.includes(QUOTED_MARK, from) ? JSON.stringify(object) : whole + json.slice(from);
}
