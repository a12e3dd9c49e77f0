/** Changes one value in TOML, and nothing else of the text. */
import { parse, stringify } from 'smol-toml';
import { isFields } from '../../../json.js';
import { lineEnd, nextLine, splice } from './style.js';
import { type Statement, statementsOf } from './toml-statements.js';

/** `value` undefined removes. What cannot be changed so comes back as it is. */
export function setToml(text: string, path: readonly string[], value: unknown): string {
  const statements = statementsOf(text);
  if (statements === undefined) return text;
  const holding = statements.filter((each) => each.kind === 'value').find(({ path: own }) => startsWith(path, own));
  if (holding !== undefined) return changeHolding(text, holding, path, value);
  const cleared = withoutAll(text, statements, path);
  if (value === undefined) return cleared;
  const parent = path.slice(0, -1);
  const left = statementsOf(cleared) ?? [];
  const header = left.findIndex(({ kind, path: own }) => kind === 'table' && isSame(own, parent));
  if (header === -1) return isFields(value) ? append(cleared, path, value) : cleared;
  return insertInto(cleared, left, header, `${keyText(path.slice(-1))} = ${inline(value)}`);
}

/** The value lies in a statement of its own, or within one. */
function changeHolding(text: string, holding: Extract<Statement, { kind: 'value' }>, path: readonly string[], value: unknown): string {
  const rest = path.slice(holding.path.length);
  if (rest.length === 0) return value === undefined ? dropLines(text, holding) : splice(text, holding.valueFrom, holding.to, inline(value));
  const old: unknown = parse(`value = ${text.slice(holding.valueFrom, holding.to)}`)['value'];
  return splice(text, holding.valueFrom, holding.to, inline(changed(old, rest, value)));
}

function changed(old: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown {
  const fields = isFields(old) ? old : {};
  const next = rest.length === 0 ? value : changed(fields[key], rest, value);
  const { [key]: _replaced, ...others } = fields;
  return next === undefined ? others : { ...fields, [key]: next };
}

/** The tables at and below a path, and dotted keys that lead below it. */
function withoutAll(text: string, statements: readonly Statement[], path: readonly string[]): string {
  return statements.filter(({ path: own }) => startsWith(own, path)).reduceRight((left, statement) => dropLines(left, statement), text);
}

function dropLines(text: string, { kind, from, to }: Statement): string {
  const dropped = splice(text, from, nextLine(text, to), '');
  // The blank line that parted a table from what is before it.
  return kind === 'table' && /(?:^|\n)\r?\n$/.test(dropped.slice(0, from)) && /^(?:\s*$|\r?\n)/.test(dropped.slice(from))
    ? dropped.slice(0, from).replace(/\r?\n$/, '') + dropped.slice(from)
    : dropped;
}

function insertInto(text: string, statements: readonly Statement[], header: number, line: string): string {
  const end = lineEnd(text);
  let last = statements[header];
  for (const statement of statements.slice(header + 1)) {
    if (statement.kind === 'table') break;
    last = statement;
  }
  const at = nextLine(text, last?.to ?? 0);
  return text.slice(0, at).endsWith('\n') ? splice(text, at, at, `${line}${end}`) : `${text}${end}${line}`;
}

/** A new table at the end of the text. */
function append(text: string, path: readonly string[], value: Readonly<Record<string, unknown>>): string {
  const end = lineEnd(text);
  const gap = text === '' ? '' : text.endsWith('\n') ? end : `${end}${end}`;
  const lines = Object.entries(value).map(([key, field]) => `${keyText([key])} = ${inline(field)}`);
  const block = [`[${keyText(path)}]`, ...lines].join(end);
  return `${text}${gap}${block}${text === '' || text.endsWith('\n') ? end : ''}`;
}

function keyText(path: readonly string[]): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}

/** On one line. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isFields(value) || value instanceof Date)
    return stringify({ value })
      .replace(/^value = /, '')
      .trimEnd();
  const pairs = Object.entries(value).map(([key, field]) => `${keyText([key])} = ${inline(field)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.length <= path.length && beginning.every((key, index) => key === path[index]);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && startsWith(one, other);
}
