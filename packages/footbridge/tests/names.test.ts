/** No two files of a package export the same name. Its pages are a program of their own, but a type has one meaning in both. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const packages = join(import.meta.dirname, '..', '..');
const TYPE = /^export (?:declare )?(?:abstract )?(?:class|interface|type|enum) (\w+)/gm;
const VALUE = /^export (?:async )?(?:const|function\*?) (\w+)/gm;
/** A list without `from`. */
const LIST = /^export (?:type )?\{([^}]*)\};/gm;
const IMPORT = /^import (?:type )?\{([^}]*)\} from/gm;

type Kind = 'type' | 'value';

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) =>
      name
        .replace(/\btype /, '')
        .replace(/^.* as /, '')
        .trim(),
    )
    .filter((name) => name !== '');
}

/** What a file exports of its own: names that it imports belong to the file that they come from. */
function exportsOf(text: string): readonly { readonly name: string; readonly kind: Kind }[] {
  const imported = new Set(namesIn(text, IMPORT));
  const listed = namesIn(text, LIST).filter((name) => !imported.has(name));
  const types = new Set([...namesIn(text, TYPE), ...listed]);
  const values = new Set(namesIn(text, VALUE).filter((name) => !types.has(name)));
  return [...[...types].map((name) => ({ name, kind: 'type' as const })), ...[...values].map((name) => ({ name, kind: 'value' as const }))];
}

/** The names that several files of a package export. */
function clashes(name: string): readonly string[] {
  const found = new Map<string, number>();
  let files = 0;
  for (const program of ['src', 'page']) {
    const folder = join(packages, name, program);
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(file)) continue;
      files++;
      for (const { name: exported, kind } of exportsOf(readFileSync(join(folder, file), 'utf8'))) {
        const key = kind === 'type' ? exported : `${exported} (${program})`;
        found.set(key, (found.get(key) ?? 0) + 1);
      }
    }
  }
  expect(files).toBeGreaterThan(10);
  return [...found].filter(([, count]) => count > 1).map(([exported]) => exported);
}

it.each(['footbridge', 'engage', 'quilt'])('no two files of %s export the same name', (name) => {
  expect(clashes(name)).toEqual([]);
});
