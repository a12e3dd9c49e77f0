/** The page's own files, as they were built. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Document } from './document.js';

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
} as const;

export type AssetName = keyof typeof TYPES;

const read = new Map<AssetName, Document>();

/** A file of the page, read once; undefined where the page was not built. */
export function asset(name: AssetName): Document | undefined {
  const known = read.get(name);
  if (known !== undefined) return known;
  const file = join(folder, name);
  if (!existsSync(file)) return undefined;
  const made = new Document(readFileSync(file, 'utf8'), TYPES[name], 'no-cache');
  read.set(name, made);
  return made;
}

/** `page` beside the bundled program; for a module by itself, in the bundle of the same package. */
const folder = locate(dirname(fileURLToPath(import.meta.url)));

function locate(start: string): string {
  const beside = join(start, 'page');
  if (existsSync(join(beside, 'index.html'))) return beside;
  for (let at = start; dirname(at) !== at; at = dirname(at)) if (existsSync(join(at, 'package.json'))) return join(at, 'bundle', 'page');
  return beside;
}
