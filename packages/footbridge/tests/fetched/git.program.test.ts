/** Skills from git repositories, over HTTP with git's own server and from files. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSource } from '../../src/sources/fetched/kinds.js';
import { commit, get, git, newMachine, newRepository, serveGit, skillText, writeFiles } from './support.js';

const FILES = {
  'README.md': 'About',
  'skills/pdf/SKILL.md': skillText('pdf'),
  'skills/pdf/scripts/fill.sh': '#!/bin/sh\necho filled\n',
  'skills/web/SKILL.md': skillText('web'),
};

it.each(['http', 'git+file', 'file'])('fetches a repository over %s, and the same commit on another machine', async (protocol) => {
  const repository = newRepository(FILES);
  const url =
    protocol === 'http' ? `git+${await serveGit(dirname(repository))}/${basename(repository)}/.git` : `${protocol}://${repository}`;
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
  expect(await names('#refs/heads/next:skills')).toEqual(['new', 'pdf', 'web']);
  await expect(names('#main:nothing')).rejects.toThrow("no folder 'nothing'");
  await expect(names('#nothing')).rejects.toThrow("no branch or tag 'nothing'");
});

it('resolves a tag without fetching files', async () => {
  const repository = newRepository(FILES);
  git(repository, 'tag', '-a', 'v1', '-m', 'One');
  const url = `git+file://${repository}#v1`;
  const machine = newMachine();
  const found = await get(url, machine);
  expect(found).toMatchObject({ promised: 'refs/tags/v1', pin: { commit: git(repository, 'rev-parse', 'v1^{commit}') } });
  const again = await parseSource(url).source.resolve?.({ ...machine.surroundings, temporary: machine.home });
  expect(again?.pin).toEqual(found.pin);
});

it('fetches a locked commit that is no longer at the end of a branch from a server without protocol version 2', async () => {
  const repository = newRepository(FILES);
  git(repository, 'tag', 'v1');
  const url = `git+${await serveGit(dirname(repository), { isOld: true })}/${basename(repository)}/.git`;
  for (const end of ['', '#:skills/pdf', '#v1']) {
    const found = await get(url + end, newMachine());
    commit(repository, { 'skills/pdf/SKILL.md': skillText('pdf', `Changed ${end}`) });
    expect((await get(url + end, newMachine(), { pin: found.pin })).content).toBe(found.content);
  }
});

it('does not fetch a file that is too large, and names it', async () => {
  const repository = newRepository({ ...FILES, 'skills/pdf/large.bin': Buffer.alloc(16 * 1024 * 1024 + 2) });
  const requests: string[] = [];
  const url = `git+${await serveGit(dirname(repository), { requests })}/${basename(repository)}/.git`;
  await expect(get(url, newMachine())).rejects.toThrow("git could not read 'skills/pdf/large.bin'");
  // One with the names, and one for the pack.
  expect(requests.filter((each) => each.startsWith('POST'))).toHaveLength(2);
});

describe('the Git settings of the user', () => {
  it.each(['http', 'file'])('replace an address by one over %s', async (protocol) => {
    const repository = newRepository(FILES);
    const mirror = protocol === 'http' ? await serveGit(dirname(repository)) : `file://${dirname(repository)}`;
    const machine = newMachine();
    writeFiles(machine.home, { '.gitconfig': `[url "${mirror}/"]\n\tinsteadOf = https://git.example.org/\n` });
    const url = `https://git.example.org/${basename(repository)}/.git`;
    expect((await get(url, machine)).pin).toMatchObject({ url, commit: git(repository, 'rev-parse', 'HEAD') });
    expect(await parseSource(url).source.resolve?.({ ...machine.surroundings, temporary: machine.home })).toMatchObject({ pin: { url } });
  });

  it.each(['http://git.example.com/', 'git://git.example.com/', 'ext::sh -c touch% escaped '])(
    'cannot replace an address by %s',
    async (address) => {
      const machine = newMachine();
      writeFiles(machine.home, { '.gitconfig': `[url "${address}"]\n\tinsteadOf = https://git.example.org/\n` });
      await expect(get('https://git.example.org/x.git', machine)).rejects.toThrow('which is not safe');
      expect(existsSync('escaped')).toBe(false);
    },
  );

  it.each(['core.sshCommand', 'GIT_SSH', 'GIT_SSH_COMMAND'])('choose the program for ssh: %s', async (setting) => {
    const repository = newRepository(FILES);
    const machine = newMachine();
    const program = join(machine.home, 'bin/ssh');
    writeFiles(machine.home, {
      'bin/ssh': '#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n',
      ...(setting.startsWith('core') ? { '.gitconfig': `[core]\n\tsshCommand = ${program}\n` } : {}),
    });
    chmodSync(program, 0o755);
    if (setting.startsWith('GIT')) machine.surroundings.env[setting] = program;
    expect((await get(`ssh://git.example.org${repository}`, machine)).skills).toHaveLength(2);
  });
});

describe('a hostile repository', () => {
  it('runs nothing, and omits links and submodules', async () => {
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
    'github:owner/repo@',
    'file:relative',
    'ext::sh -c touch% escaped',
  ])('refuses %s', async (specification) => {
    await expect(async () => get(specification, newMachine())).rejects.toMatchObject({ name: 'FetchError' });
    expect(existsSync('escaped')).toBe(false);
  });
});

it.each([
  ['github:owner/repo', 'https://github.com/owner/repo.git', undefined, ''],
  ['github:owner/repo/skills/pdf@v1.2', 'https://github.com/owner/repo.git', 'v1.2', 'skills/pdf'],
  ['github:owner/repo/skills/@scope/x', 'https://github.com/owner/repo.git', undefined, 'skills/@scope/x'],
  ['github:owner/repo/skills/@scope/x@feature/y', 'https://github.com/owner/repo.git', 'feature/y', 'skills/@scope/x'],
  ['github:owner/repo@refs/tags/v1', 'https://github.com/owner/repo.git', 'refs/tags/v1', ''],
  ['https://gitlab.com/group/team/repo', 'https://gitlab.com/group/team/repo.git', undefined, ''],
  ['https://gitlab.com/group/team/repo/-/tree/main/skills', 'https://gitlab.com/group/team/repo.git', 'main', 'skills'],
  ['https://codeberg.org/owner/repo/src/branch/main/skills/pdf', 'https://codeberg.org/owner/repo.git', 'main', 'skills/pdf'],
  ['https://bitbucket.org/owner/repo/src/v1/skills/', 'https://bitbucket.org/owner/repo.git', 'v1', 'skills'],
  ['file:///repositories/skills.git#v1', 'file:///repositories/skills.git', 'v1', ''],
  ['https://github.com/owner/repo', 'https://github.com/owner/repo.git', undefined, ''],
  ['https://github.com/owner/repo/tree/main/skills', 'https://github.com/owner/repo.git', 'main', 'skills'],
  ['git@example.org:owner/repo.git#next:skills', 'git@example.org:owner/repo.git', 'next', 'skills'],
])('understands %s', async (specification, url, ref, path) => {
  const { gitPlace } = await import('../../src/sources/fetched/git/place.js');
  expect(gitPlace(specification)).toMatchObject({ url, ref, path });
});

it('refuses a file while many others are still to be read', async () => {
  const large = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`pdf/z${at}`, randomBytes(200_000)]));
  const repository = newRepository({ 'pdf/SKILL.md': skillText('pdf'), [`pdf/${'a/'.repeat(30)}x`]: 'x', ...large });
  await expect(get(`git+file://${repository}`, newMachine())).rejects.toThrow('is nested too deeply');
});

it('looks through a repository whose folders are nested thousands of levels deep in bounded time', async () => {
  const repository = newRepository(FILES);
  const paths = Array.from({ length: 4000 }, (_, depth) => `d/${'a/'.repeat(depth)}SKILL.md`);
  const files = paths.map((path) => `M 100644 inline ${path}\ndata 1\nx\n`).join('');
  const stream = `commit refs/heads/deep\ncommitter Ada <ada@example.org> 1 +0000\ndata 1\nx\n${files}`;
  execFileSync('git', ['fast-import', '--quiet'], { cwd: repository, input: stream });
  const before = process.cpuUsage();
  await expect(get(`git+file://${repository}#deep`, newMachine())).rejects.toThrow('is nested too deeply');
  await expect(get(`git+file://${repository}#deep:nothing`, newMachine())).rejects.toThrow("no folder 'nothing'");
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000);
});
