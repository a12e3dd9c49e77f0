/** The reference pages match the program. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { doctorCodes, errorCodes, failures, isSaid, logged, refusals, rules } from './support/documented-messages.js';
import { linksOf, PAGES, repository, rowsBelow, textOfDocument } from './support/documents.js';
import { createWorld } from './support/folders.js';
import { runProgram } from './support/program.js';

it('the tables of tools, configuration and hosts match the program', () => {
  const { stderr, status } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], { cwd: repository, encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
});

it('the terminal recording matches the output of the commands', () => {
  const { stderr, status } = spawnSync(process.execPath, ['scripts/docs-recording.mjs', '--check'], { cwd: repository, encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
});

it('the table of hosts has all supported hosts with their files', async () => {
  const rows = rowsBelow(textOfDocument('docs/getting-started.md'), '## Your host');
  const hosts = rows.map(([, name = '']) => name.replaceAll('`', ''));
  const world = createWorld();
  const { stdout } = await runProgram(world, 'install', '--dry-run', '--json', '--global', '--host', ...hosts);
  const changes: { host: string; file: string }[] = JSON.parse(stdout).changes;
  const written = new Map(changes.map(({ host, file }) => [host, file]));
  const { stdout: help } = await runProgram(world, 'install', '--help');
  const known = /^Hosts: ([^.]*)\.$/m.exec(help)?.[1]?.split(/,\s*/) ?? [];
  expect([...hosts].sort()).toEqual(known.sort());
  for (const page of ['README.md', 'docs/README.md', 'CHANGELOG.md'])
    expect(
      new Set(
        textOfDocument(page)
          .match(/\d+ hosts\b/g)
          ?.filter((each) => !each.startsWith('114')),
      ),
      page,
    ).toEqual(new Set([`${hosts.length} hosts`]));
  for (const [, name = '', , file = ''] of rows) {
    const shown = /`~\/([^`]+)`/.exec(file)?.[1] ?? '';
    if (process.platform === 'linux') expect(written.get(name.replaceAll('`', '')), name).toBe(join(world.home, shown));
  }
});

describe('docs/troubleshooting.md', () => {
  const page = textOfDocument('docs/troubleshooting.md');
  const first = (heading: string) => rowsBelow(page, heading).map(([cell = '']) => cell.replaceAll('`', ''));
  const messages = (heading: string) => rowsBelow(page, heading).map(([cell = '']) => cell);

  it('has every code of an error, and no other', () => {
    expect(first('## Errors of a read').sort()).toEqual(errorCodes().sort());
  });

  it('has every rule that a skill can break, and no other', () => {
    expect([...first('## Skills'), ...first('### Skills of upstream servers')].sort()).toEqual(rules());
  });

  it('has every code of doctor, and no other', () => {
    expect(first('## What doctor finds').sort()).toEqual(doctorCodes());
  });

  it.each([...failures(), ['## Warnings in the log', logged()] as const])('has every message under %s', (heading, said) => {
    expect(said.length).toBeGreaterThan(4);
    // A row may leave out the end of a message, which says what to do.
    expect(said.filter((message) => !messages(heading).some((row) => message.startsWith(row)))).toEqual([]);
  });

  it('has every refusal over HTTP', () => {
    const rows = rowsBelow(page, '## Over HTTP').map(([status, message]) => `${status} ${message}`);
    expect(refusals().filter((message) => !rows.includes(message))).toEqual([]);
  });

  it('has no message that the program does not print', () => {
    const shown = [...failures().map(([heading]) => heading), '### The configuration', '## Warnings in the log'].flatMap(messages);
    const answers = rowsBelow(page, '## Over HTTP').map(([, message = '']) => message);
    expect([...shown, ...answers].filter((message) => !isSaid(message))).toEqual([]);
  });
});

it('every page can be reached from the README and from the index', () => {
  for (const start of ['README.md', 'docs/README.md']) {
    const reached = new Set([start]);
    for (const page of reached) for (const link of linksOf(page)) if (PAGES.includes(link)) reached.add(link);
    expect(
      PAGES.filter((page) => !reached.has(page)),
      `from ${start}`,
    ).toEqual([]);
  }
  expect(PAGES.filter((page) => page !== 'README.md' && page !== 'docs/README.md' && !linksOf('docs/README.md').includes(page))).toEqual(
    [],
  );
});

it('pictures are small, and have alternative text', () => {
  const pictures = PAGES.flatMap((page) =>
    [...textOfDocument(page).matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, words, file]) => ({ page, words, file })),
  );
  expect(pictures.length).toBeGreaterThan(1);
  for (const { page, words = '', file = '' } of pictures) {
    const path = join(repository, page, '..', file);
    expect(words.length, `${page}: ${file}`).toBeGreaterThan(20);
    expect(existsSync(path) && statSync(path).size, file).toBeLessThan(200_000);
  }
});
