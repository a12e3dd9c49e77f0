/** The import rule: a room imports only from rooms to its left. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const source = join(import.meta.dirname, '..', 'src');

/** From left to right. Files in no room may be used by all, and import from none. */
const ROOMS = ['sources', 'catalog', 'surfaces', 'serve', 'cli'];
/** The entry points of packages, which may import from every room except the command line. */
const ENTRIES = ['index.ts', 'pack.ts', 'testing.ts'];

function rank(file: string): number {
  if (ENTRIES.includes(file)) return ROOMS.indexOf('serve');
  return ROOMS.indexOf(file.split('/')[0] ?? '');
}

it('each import is from the same room, a room to its left, or the root', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(30);
  const wrong = files.flatMap((file) => {
    const imports = readFileSync(join(source, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g);
    return [...imports]
      .map(([, target = '']) => relative(source, resolve(source, dirname(file), target)).replace(/\.js$/, '.ts'))
      .filter((target) => rank(target) > rank(file))
      .map((target) => `${file} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});
