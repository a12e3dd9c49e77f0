/** Skills from git repositories, over HTTP by git's own server and from files. */
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSource } from '../../src/sources/fetched/kinds.js';
import { commit, get, git, newMachine, newRepository, serveGit, skillText } from './support.js';

const FILES = {
  'README.md': 'About',
  'skills/pdf/SKILL.md': skillText('pdf'),
  'skills/pdf/scripts/fill.sh': '#!/bin/sh\necho filled\n',
  'skills/web/SKILL.md': skillText('web'),
};

it.each(['http', 'file'])('fetches a repository over %s, and the same commit again on another machine', async (protocol) => {
  const repository = newRepository(FILES);
  const url = protocol === 'http' ? `git+${await serveGit(dirname(repository))}/${basename(repository)}/.git` : `git+file://${repository}`;
  const machine = newMachine();
  const found = await get(url, machine);
  expect(found.skills.map(({ name }) => name).sort()).toEqual(['pdf', 'web']);
  expect(found.pin).toMatchObject({ commit: git(repository, 'rev-parse', 'HEAD') });
  const folder = machine.store.folderOf(found.content);
  expect(readdirSync(folder).sort()).toEqual(['pdf', 'web']);
  expect(readFileSync(join(folder, 'pdf/scripts/fill.sh'), 'utf8')).toBe(FILES['skills/pdf/scripts/fill.sh']);
  commit(repository, { 'skills/pdf/SKILL.md': skillText('pdf', 'Changed.') });
  const other = newMachine();
  expect((await get(url, other, { pin: found.pin })).content).toBe(found.content);
  expect((await get(url, other)).content).not.toBe(found.content);
});

it('fetches only a folder and a branch', async () => {
  const repository = newRepository({ ...FILES, 'other/SKILL.md': skillText('other') });
  git(repository, 'checkout', '--quiet', '-b', 'next');
  commit(repository, { 'skills/new/SKILL.md': skillText('new') });
  git(repository, 'checkout', '--quiet', 'main');
  const url = `git+${await serveGit(dirname(repository))}/${basename(repository)}/.git`;
  const names = async (end: string) => (await get(url + end, newMachine())).skills.map(({ name }) => name).sort();
  expect(await names('#main:skills')).toEqual(['pdf', 'web']);
  expect(await names('#next:skills')).toEqual(['new', 'pdf', 'web']);
  expect(await names('#:skills/web')).toEqual(['web']);
  await expect(names('#main:nothing')).rejects.toThrow("no folder 'nothing'");
  await expect(names('#nothing')).rejects.toThrow("no branch or tag 'nothing'");
});

it('knows a tag, and resolves it without fetching files', async () => {
  const repository = newRepository(FILES);
  git(repository, 'tag', '-a', 'v1', '-m', 'One');
  const url = `git+file://${repository}#v1`;
  const machine = newMachine();
  const found = await get(url, machine);
  expect(found).toMatchObject({ promised: 'refs/tags/v1', pin: { commit: git(repository, 'rev-parse', 'v1^{commit}') } });
  const again = await parseSource(url).source.resolve?.({ ...machine.surroundings, temporary: machine.home });
  expect(again?.pin).toEqual(found.pin);
});

describe('a hostile repository', () => {
  it('runs nothing, and leaves out links and submodules', async () => {
    const repository = newRepository({
      ...FILES,
      '.gitattributes': '* filter=evil\n*.md filter=lfs export-subst ident\n',
      '.gitmodules': '[submodule "sub"]\n\tpath = skills/pdf/sub\n\turl = ext::sh -c touch%20escaped\n',
      'skills/pdf/post-checkout': '#!/bin/sh\ntouch escaped\n',
    });
    symlinkSync('/etc/passwd', join(repository, 'skills/pdf/link'));
    git(repository, 'add', '--all');
    git(repository, 'update-index', '--add', '--cacheinfo', `160000,${git(repository, 'rev-parse', 'HEAD')},skills/pdf/sub`);
    git(repository, 'commit', '--quiet', '-m', 'Hostile');
    git(repository, 'config', 'filter.evil.smudge', 'touch escaped');
    const machine = newMachine();
    const found = await get(`git+file://${repository}`, machine);
    expect([...found.skipped].sort()).toEqual(['skills/pdf/link', 'skills/pdf/sub']);
    const folder = machine.store.folderOf(found.content);
    expect(readFileSync(join(folder, 'pdf/SKILL.md'), 'utf8')).toBe(FILES['skills/pdf/SKILL.md']);
    for (const place of [repository, machine.home, folder, process.cwd()]) expect(existsSync(join(place, 'escaped'))).toBe(false);
  });

  it.each([
    'git+file:///nowhere/to/be/found',
    'ssh://-oProxyCommand=touch%20escaped/x.git',
    'git://example.org/x.git',
    'http://example.org/x.git',
    'https://user:secret@example.org/x.git',
    'github:only',
    'github:owner/repo@--upload-pack=touch',
    'github:owner/repo/../../x',
    'ext::sh -c touch% escaped',
  ])('refuses %s', async (specification) => {
    await expect(async () => get(specification, newMachine())).rejects.toMatchObject({ name: 'FetchError' });
    expect(existsSync('escaped')).toBe(false);
  });
});

it.each([
  ['github:owner/repo', 'https://github.com/owner/repo.git', undefined, ''],
  ['github:owner/repo/skills/pdf@v1.2', 'https://github.com/owner/repo.git', 'v1.2', 'skills/pdf'],
  ['https://github.com/owner/repo', 'https://github.com/owner/repo.git', undefined, ''],
  ['https://github.com/owner/repo/tree/main/skills', 'https://github.com/owner/repo.git', 'main', 'skills'],
  ['git@example.org:owner/repo.git#next:skills', 'git@example.org:owner/repo.git', 'next', 'skills'],
])('understands %s', async (specification, url, ref, path) => {
  const { gitPlace } = await import('../../src/sources/fetched/git/place.js');
  expect(gitPlace(specification)).toMatchObject({ url, ref, path });
});
