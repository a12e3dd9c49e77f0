/** Values that are short to write down and may be huge: what cases are made of, so that each fits into a small file. */

export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };

/** A short text so many times. */
export const repeat = (unit: string, times: number): Value => ({ $repeat: [unit, times] });
/** A value so many times, as an array. `{#}` in its texts is the index. */
export const many = (item: Value, count: number): Value => ({ $many: [item, count] });
/** Arrays or objects in each other. */
export const nest = (kind: 'array' | 'object', depth: number): Value => ({ $nest: [kind, depth] });
/** An object with so many fields. */
export const fields = (count: number): Value => ({ $fields: [count] });
/** Texts one after the other. */
export const text = (...parts: readonly Value[]): Value => ({ $text: parts });
/** JSON as it is written here, which may be invalid. */
export const raw = (json: Value): Value => ({ $raw: [json] });

type Term = readonly Value[];

/** The operator and its operands, if the value is one of those above. */
function termOf(value: Value): readonly [string, Term] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [first, ...others] = Object.entries(value);
  if (first === undefined || others.length > 0 || !OPERATORS.has(first[0]) || !Array.isArray(first[1])) return undefined;
  return [first[0], first[1]];
}

const OPERATORS: ReadonlySet<string> = new Set(['$repeat', '$many', '$nest', '$fields', '$text', '$raw']);

/** Whether a value is an object with fields, and none of the operators above. */
export function isObject(value: Value | undefined): value is { readonly [key: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.keys(value).some((key) => key.startsWith('$'));
}

/** A value as JSON. */
export function jsonOf(value: Value, index = 0): string {
  const term = termOf(value);
  if (term !== undefined) return jsonOfTerm(...term, index);
  if (typeof value === 'string') return JSON.stringify(value.replaceAll('{#}', String(index)));
  if (Array.isArray(value)) return `[${value.map((item) => jsonOf(item, index)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${jsonOf(item, index)}`)
    .join(',')}}`;
}

/** Characters of what is repeated: many times many would be longer than a text can be. */
const LONGEST = 8 * 1024 * 1024;

function repeated(count: number, write: (at: number) => string): string[] {
  if (count === 0) return [];
  const first = write(0);
  const most = Math.max(1, Math.floor(LONGEST / Math.max(1, first.length)));
  return [first, ...Array.from({ length: Math.min(count, most) - 1 }, (_, at) => write(at + 1))];
}

function jsonOfTerm(operator: string, operands: Term, index: number): string {
  const [first = null, second = null] = operands;
  const count = Number(second);
  switch (operator) {
    case '$many':
      return `[${repeated(count, (at) => jsonOf(first, at)).join(',')}]`;
    case '$nest':
      return first === 'array' ? `${'['.repeat(count)}1${']'.repeat(count)}` : `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`;
    case '$fields':
      return `{${Array.from({ length: Number(first) }, (_, at) => `"field-${at}":${at}`).join(',')}}`;
    case '$raw':
      return textOf(first, index);
    default:
      return JSON.stringify(textOf({ [operator]: operands }, index));
  }
}

/** A value as text: of a file, a header or a line. */
export function textOf(value: Value, index = 0): string {
  const term = termOf(value);
  if (term === undefined) return typeof value === 'string' ? value.replaceAll('{#}', String(index)) : jsonOf(value, index);
  const [operator, operands] = term;
  const [first = null, second = null] = operands;
  switch (operator) {
    case '$repeat':
      return String(first).repeat(Number(second));
    case '$text':
      return operands.map((part) => textOf(part, index)).join('');
    case '$many':
      return repeated(Number(second), (at) => textOf(first, at)).join('');
    case '$raw':
      return textOf(first, index);
    default:
      return jsonOf(value, index);
  }
}
