/** The architecture page names only existing modules, and lists each once per walk. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const source = join(import.meta.dirname, '..', 'src');
const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'architecture.md'), 'utf8');
const modulesIn = (text: string) =>
  [...text.matchAll(/`((?:sources|catalog|surfaces|serve|cli)\/[\w./-]*)`/g)].map(([, path = '']) => path);

it('names modules that exist', () => {
  const modules = modulesIn(page);
  expect(modules.length).toBeGreaterThan(30);
  expect(modules.filter((path) => !existsSync(join(source, path)))).toEqual([]);
});

it.each(['A call over stdio', 'A call over HTTP', 'A call to an upstream server'])('%s passes no module twice', (title) => {
  const walk = page.split(`### ${title}\n`)[1]?.split(/\n##/)[0] ?? '';
  const steps = walk.split('\n').filter((line) => /^\d+\. /.test(line));
  expect(steps.length).toBeGreaterThan(4);
  const modules = modulesIn(steps.join('\n'));
  expect(modules.filter((path, index) => modules.indexOf(path) !== index)).toEqual([]);
});
