/** The table of who may do what to whom names tests that exist, in every row. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository, textOfDocument } from './support/documents.js';

const PARTIES = ['person', 'project', 'host', 'model', 'upstream', 'caller', 'administrator'];

/** The rows below the head of the table, each as its cells. */
function rows(): string[][] {
  const [, table = ''] = /## Who may do what to whom\n(.*?)\n## /s.exec(textOfDocument('docs/security.md')) ?? [];
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** What is wrong with one test that a row names; undefined if the test exists. */
function problemOf(named: string): string | undefined {
  const [, packageName, file, title] = /^`(\w+)\/([\w/.-]+\.test\.ts)`: (.+)$/.exec(named) ?? [];
  if (packageName === undefined || file === undefined || title === undefined) return `not a file and a title: ${named}`;
  const path = join(repository, 'packages', packageName, 'tests', file);
  if (!existsSync(path)) return `no such file: ${named}`;
  const source = readFileSync(path, 'utf8');
  const isTitle = [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``].some((literal) => source.includes(literal));
  return isTitle ? undefined : `no such test: ${named}`;
}

it('every row of the table in docs/security.md names tests that exist', () => {
  const named = rows().map((cells) => ({ cells: cells.length, tests: cells.at(-1)?.split('<br>') ?? [] }));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ cells }) => cells !== 4)).toEqual([]);
  expect(named.flatMap(({ tests }) => tests.flatMap((test) => problemOf(test) ?? []))).toEqual([]);
});

it('the table has every kind of caller', () => {
  const parties = rows().map(([who = '']) => who.toLowerCase());
  expect(PARTIES.filter((party) => !parties.some((who) => who.includes(party)))).toEqual([]);
});
