/** Changes one value in the text of a configuration and keeps everything else: meaning, comments and layout. */
import { applyEdits, modify } from 'jsonc-parser';
import { isFields } from '../../../json.js';
import { parseDocument, splitMark } from '../../hosts/document.js';
import { valueAt } from '../../hosts/entries.js';
import type { McpHost } from '../../hosts/index.js';
import { setJson } from './json.js';
import { withValue } from './style.js';

type Format = McpHost['format'];
type Editor = (text: string, path: readonly string[], value: unknown) => string;

/** `value` undefined removes. Returns undefined if no edit has exactly this effect. */
export async function setValue(format: Format, text: string, path: readonly string[], value: unknown): Promise<string | undefined> {
  const { body, mark } = splitMark(text);
  const document = await parseDocument(body, format);
  if (!document.ok) return undefined;
  const wanted = [withValue(document.value, path, value)];
  // In TOML, an implicit table disappears with its last entry.
  if (format === 'toml' && value === undefined) wanted.push(withoutEmpty(wanted[0], path.slice(0, -1)));
  for (const editor of await editorsOf(format)) {
    const edited = attempt(editor, body, path, value);
    if (edited !== undefined && (await means(format, edited, wanted))) return mark + edited;
  }
  return undefined;
}

/** Removes an empty object, and parents that become empty. */
function withoutEmpty(document: unknown, path: readonly string[]): unknown {
  const at = valueAt(document, path);
  if (path.length === 0 || !isFields(at) || Object.keys(at).length > 0) return document;
  return withoutEmpty(withValue(document, path, undefined), path.slice(0, -1));
}

/** Independent of the order of keys. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSameValue(item, other[at]));
  // TOML dates also differ by kind.
  if (one instanceof Date) return other instanceof Date && String(one.toJSON()) === String(other.toJSON());
  if (!isFields(one)) return Object.is(one, other);
  if (!isFields(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && isSameValue(one[key], other[key]));
}

async function means(format: Format, text: string, wanted: readonly unknown[]): Promise<boolean> {
  const document = await parseDocument(text, format);
  return document.ok && wanted.some((each) => isSameValue(document.value, each));
}

/** The editor that changes least comes first. */
async function editorsOf(format: Format): Promise<readonly Editor[]> {
  if (format === 'json') return [setJson, setByLibrary];
  if (format === 'toml') return [(await import('./toml.js')).setToml];
  const { setYaml, setYamlDocument } = await import('./yaml.js');
  return [setYaml, setYamlDocument];
}

const setByLibrary: Editor = (text, path, value) =>
  applyEdits(text, modify(text, [...path], value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }));

function attempt(editor: Editor, text: string, path: readonly string[], value: unknown): string | undefined {
  try {
    return editor(text, path, value);
  } catch {
    return undefined;
  }
}
