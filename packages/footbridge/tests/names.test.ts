/** No two exported names in a package are the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const packages = join(import.meta.dirname, '..', '..');
const EXPORT = /^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm;

/** Clashes that are still to be removed. This list only gets shorter. */
const REMAINING: Readonly<Record<string, readonly string[]>> = {
  footbridge: [],
  engage: [],
  quilt: [],
};

/** The names that several files of a package export. */
function clashes(name: string): string[] {
  const source = join(packages, name, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(10);
  const found = new Map<string, number>();
  for (const file of files) {
    const names = new Set([...readFileSync(join(source, file), 'utf8').matchAll(EXPORT)].map(([, exported = '']) => exported));
    for (const exported of names) found.set(exported, (found.get(exported) ?? 0) + 1);
  }
  return [...found].filter(([, count]) => count > 1).map(([exported]) => exported);
}

it.each(Object.entries(REMAINING))('no two files of %s export the same name', (name, remaining) => {
  expect(clashes(name).filter((exported) => !remaining.includes(exported))).toEqual([]);
});
