// Every key of footbridge.json, from the JSON Schema that editors read.
import { readFileSync } from 'node:fs';
import { typeText } from './schema-text.mjs';
import { code, prose, table } from './table.mjs';

const SCHEMA = new URL('../../packages/footbridge/footbridge.schema.json', import.meta.url);

/** The part `keys` of the page: a table for the file itself, and one for each object in it. */
export function configurationParts() {
  return { keys: sections('footbridge.json', JSON.parse(readFileSync(SCHEMA, 'utf8'))).join('\n\n') };
}

/** Objects in objects have a section of their own, in the order of the keys. */
function sections(path, schema) {
  const { properties, required = [] } = schema;
  const rows = Object.entries(properties).map(([key, value]) => rowOf(path, key, value, required.includes(key)));
  const own = `## ${code(path)}\n\n${table(['Key', 'Type', 'Default', 'Meaning'], rows)}`;
  return [own, ...Object.entries(properties).flatMap(([key, value]) => inner(pathOf(path, key), value))];
}

function inner(path, schema) {
  if (schema.type === 'object' && schema.properties !== undefined) return sections(path, schema);
  if (schema.type === 'array' && schema.items?.properties !== undefined) return sections(`${path}[]`, schema.items);
  if (schema.additionalProperties?.properties !== undefined) return sections(`${path}.NAME`, schema.additionalProperties);
  return [];
}

function rowOf(path, key, schema, required) {
  const [below] = inner(pathOf(path, key), schema);
  const heading = below === undefined ? undefined : /^## `(.*)`/.exec(below)?.[1];
  const link = heading === undefined ? '' : ` Its keys: [${code(heading)}](#${anchorOf(heading)}).`;
  const { text, fallback } = split(schema.description ?? '');
  return [code(key), typeText(schema), required ? '**required**' : fallback, `${prose(text)}${link}`];
}

/** The default has a column of its own, where it is a value. */
function split(description) {
  const match = / ?Default:? (\S+?|"[^"]*")\.$/.exec(description);
  if (match === null) return { text: description, fallback: '' };
  return { text: description.slice(0, match.index), fallback: code(match[1]) };
}

function pathOf(path, key) {
  return path === 'footbridge.json' ? key : `${path}.${key}`;
}

function anchorOf(heading) {
  return heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '');
}
