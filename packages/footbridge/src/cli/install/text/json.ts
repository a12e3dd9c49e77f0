/**
 * Changes one value in JSON with comments and keeps the rest of the text. `modify` of jsonc-parser would reformat the value's siblings
 * and move comments.
 */
import { createScanner, type Node, parseTree } from 'jsonc-parser';
import { isFields } from '../../../json.js';
import { beginsLine, indentAt, lineEnd, lineStart, nested, nextLine, splice } from './style.js';

/** `value` undefined removes. Returns invalid JSON unchanged. */
export function setJson(text: string, path: readonly string[], value: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const style = styleOf(text, root);
  if (root?.type !== 'object') return root === undefined ? wholeText(text, path, value, style) : text;
  let node = root;
  for (const [depth, key] of path.entries()) {
    const property = propertyOf(node, key);
    const held = property?.children?.[1];
    if (property === undefined || held === undefined)
      return value === undefined ? text : insert(text, node, key, nested(path.slice(depth + 1), value), style);
    if (depth === path.length - 1 && value === undefined) return remove(text, node, property);
    if (depth === path.length - 1 || held.type !== 'object')
      return value === undefined ? text : replace(text, held, nested(path.slice(depth + 1), value), style);
    node = held;
  }
  return text;
}

interface Style {
  readonly end: string;
  readonly indent: string;
  readonly isCompact: boolean;
  readonly hasShortLists: boolean;
}

function styleOf(text: string, root: Node | undefined): Style {
  const first = root?.children?.find(({ offset }) => beginsLine(text, offset));
  const indent = first === undefined ? '' : indentAt(text, first.offset);
  return {
    end: lineEnd(text),
    indent: indent === '' ? '  ' : indent,
    isCompact: (root?.children?.length ?? 0) > 0 && !text.trim().includes('\n'),
    hasShortLists: /\[[ \t]*["\d]/.test(text),
  };
}

/** An empty text, or only comments. */
function wholeText(text: string, path: readonly string[], value: unknown, style: Style): string {
  if (value === undefined) return text;
  const between = text.trim() === '' || text.endsWith('\n') ? '' : style.end;
  return `${text.trim() === '' ? '' : text}${between}${written(nested(path, value), '', style)}${style.end}`;
}

/** Of duplicate keys the last one applies. */
function propertyOf(node: Node, key: string): Node | undefined {
  return node.children?.findLast(({ children: [name] = [] }) => name?.value === key);
}

function insert(text: string, node: Node, key: string, value: unknown, style: Style): string {
  const last = node.children?.at(-1);
  if (last === undefined) return insertFirst(text, node, key, value, style);
  const lastEnd = last.offset + last.length;
  const comma = commaAfter(text, lastEnd);
  const isOnLines = text.slice(node.offset, last.offset).includes('\n');
  if (!isOnLines) {
    const pair = written({ [key]: value }, '', { ...style, isCompact: true }).slice(1, -1);
    const gap = /^,\s/.test(text.slice(comma === undefined ? 0 : comma)) || !style.isCompact ? ' ' : '';
    return comma === undefined ? splice(text, lastEnd, lastEnd, `,${gap}${pair}`) : splice(text, comma + 1, comma + 1, `${gap}${pair},`);
  }
  const indent = beginsLine(text, last.offset) ? indentAt(text, last.offset) : indentAt(text, node.offset) + style.indent;
  const pair = `${style.end}${indent}${JSON.stringify(key)}: ${written(value, indent, style)}`;
  const anchor = afterComment(text, comma === undefined ? lastEnd : comma + 1);
  const added = splice(text, anchor, anchor, comma === undefined ? pair : `${pair},`);
  return comma === undefined ? splice(added, lastEnd, lastEnd, ',') : added;
}

function insertFirst(text: string, node: Node, key: string, value: unknown, style: Style): string {
  const close = node.offset + node.length - 1;
  const inside = text.slice(node.offset + 1, close);
  const outer = indentAt(text, node.offset);
  if (inside.trim() === '') return splice(text, node.offset, close + 1, written({ [key]: value }, outer, style));
  const indent = outer + style.indent;
  const pair = `${indent}${JSON.stringify(key)}: ${written(value, indent, style)}${style.end}${outer}`;
  const kept = inside.trimEnd();
  return splice(text, node.offset + 1 + kept.length, close, `${style.end}${pair}`);
}

function replace(text: string, held: Node, value: unknown, style: Style): string {
  const old = text.slice(held.offset, held.offset + held.length);
  const isShort = held.type === 'array' && (held.children?.length ?? 0) > 0;
  const own = { ...style, hasShortLists: isShort ? !old.includes('\n') : style.hasShortLists };
  return splice(text, held.offset, held.offset + held.length, written(value, indentAt(text, held.offset), own));
}

function remove(text: string, node: Node, property: Node): string {
  const siblings = node.children ?? [];
  const index = siblings.indexOf(property);
  const end = property.offset + property.length;
  const comma = commaAfter(text, end);
  const before = siblings[index - 1];
  const isLast = index === siblings.length - 1;
  const to = afterComment(text, comma === undefined ? end : comma + 1);
  const isOnLines = beginsLine(text, property.offset) && /^[ \t]*(?:\r?\n|$)/.test(text.slice(to));
  if (
    siblings.length === 1 &&
    text.slice(node.offset + 1, property.offset).trim() === '' &&
    text.slice(to, node.offset + node.length - 1).trim() === ''
  )
    return splice(text, node.offset, node.offset + node.length, '{}');
  const from = isOnLines ? lineStart(text, property.offset) : property.offset;
  const upTo = isOnLines ? nextLine(text, to) : isLast ? to : to + (/^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0);
  const removed = splice(text, from, upTo, '');
  const commaBefore = before === undefined ? undefined : commaAfter(text, before.offset + before.length);
  // The previous property is now the last, and strict JSON allows no comma after it.
  return isLast && comma === undefined && commaBefore !== undefined
    ? splice(removed, commaBefore, isOnLines ? commaBefore + 1 : from, '')
    : removed;
}

function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : undefined;
}

function afterComment(text: string, offset: number): number {
  return (
    offset +
    (/^[ \t]*(?:\/\/[^\r\n]*(?=\r?\n|$)|\/\*(?:(?!\*\/)[^\r\n])*\*\/(?=[ \t]*(?:\r?\n|$)))/.exec(text.slice(offset))?.[0].length ?? 0)
  );
}

function written(value: unknown, indent: string, style: Style): string {
  if (style.isCompact) return JSON.stringify(value);
  const inner = indent + style.indent;
  const around = (open: string, parts: readonly string[], close: string) =>
    parts.length === 0
      ? `${open}${close}`
      : `${open}${style.end}${parts.map((part) => inner + part).join(`,${style.end}`)}${style.end}${indent}${close}`;
  if (Array.isArray(value)) {
    const isPlain = value.every((item) => typeof item !== 'object' || item === null);
    if (isPlain && style.hasShortLists) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    return around(
      '[',
      value.map((item) => written(item, inner, style)),
      ']',
    );
  }
  if (!isFields(value)) return JSON.stringify(value);
  return around(
    '{',
    Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${written(field, inner, style)}`),
    '}',
  );
}
