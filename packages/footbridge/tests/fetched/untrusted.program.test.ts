/** The sources of an untrusted `footbridge.json` in the working folder. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as the file has them
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { updateDaily } from '../../src/cli/fetched/daily.js';
import { createLog } from '../../src/log.js';
import { environmentOf, ioOf, type Outcome, runIn } from '../support/command.js';
import { createWorld, type World } from '../support/folders.js';
import { until } from '../support/http-server.js';
import { tar, zip } from './archive-writers.js';
import { commit, git, newRepository, serveOver, skillText } from './support.js';

const SECRET = 'hush-9f31';

function run(world: World, ...args: string[]): Promise<Outcome> {
  return runIn(world, { env: { ...environmentOf(world), MY_SECRET: SECRET } }, ...args);
}

function configure(world: World, config: object): void {
  world.write('project/footbridge.json', JSON.stringify(config));
}

async function recording() {
  const requests: string[] = [];
  const url = await serveOver((request, response) => {
    requests.push(request.url ?? '');
    response.end(zip([{ name: 'pdf/SKILL.md', content: skillText('pdf') }]));
  });
  return { url, requests };
}

function storedTrees({ home }: World): readonly string[] {
  const folder = `${home}/.local/state/footbridge/store/trees`;
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe('a source of a discovered file', () => {
  it('has no environment variable in its URL, whether the file is trusted or not', async () => {
    const world = createWorld();
    const { requests, url } = await recording();
    for (const source of [`${url}/\${MY_SECRET}.skill`, { source: 'npm:pdf-${MY_SECRET}', skills: ['${MY_SECRET}'] }]) {
      configure(world, { sources: [source] });
      for (const args of [
        ['outdated'],
        ['update', '--dry-run'],
        ['fetch'],
        ['list', '--long'],
        ['lint'],
        ['trust', '--yes'],
        ['outdated'],
      ]) {
        const { stderr, stdout } = await run(world, ...args);
        expect(stdout + stderr, args.join(' ')).not.toContain(SECRET);
        expect(stdout + stderr, args.join(' ')).toContain('Variables are not allowed in "sources".');
      }
    }
    expect(requests).toEqual([]);
  });

  it('cannot be outside its folder before the file is trusted, and a preview stores nothing', async () => {
    const { requests, url } = await recording();
    const repository = newRepository({ 'pdf/SKILL.md': skillText('pdf') });
    for (const source of ['~/private', '../outside/team', `git+file://${repository}`, `${url}/pdf.skill`, './linked']) {
      const world = createWorld();
      world.skill('home/private/one');
      world.skill('outside/team/two');
      symlinkSync(world.path('outside/team'), world.path('project/linked'));
      configure(world, { sources: [source] });
      for (const args of [['outdated'], ['update', '--dry-run'], ['fetch']]) {
        const { code, stderr } = await run(world, ...args);
        expect(code, source).toBe(1);
        expect(stderr, source).toContain('footbridge.json is not trusted yet');
      }
      expect(storedTrees(world)).toEqual([]);
      expect(requests).toEqual([]);
      await run(world, 'trust', '--yes');
      expect((await run(world, 'outdated')).stdout, source).toContain('not locked →');
      expect(storedTrees(world)).toEqual([]);
      requests.length = 0;
    }
  });

  it('in its folder is fetched unchanged', async () => {
    const world = createWorld();
    world.skill('project/team/one');
    configure(world, { sources: ['./team'] });
    expect((await run(world, 'outdated')).stdout).toContain('not locked →');
  });
});

it('other variables in the file have only their defaults until it is trusted', async () => {
  const world = createWorld();
  world.skill('project/own/mine');
  configure(world, {
    skills: ['${NOT_SET:-./own}'],
    identity: { name: '${MY_SECRET}' },
    catalogue: { budget: 5000 },
  });
  const { stderr, stdout } = await run(world, 'surface', '--json');
  expect(stdout).toContain('mine');
  expect(stdout + stderr).not.toContain(SECRET);
  expect(stderr).toContain('so its variables (NOT_SET, MY_SECRET) are not used');
  await run(world, 'trust', '--yes');
  expect((await run(world, 'list', '--json')).stderr).toBe('');
});

describe('an automatic update', () => {
  /** A folder whose file is updated daily, with a program that leaves its arguments in a file. */
  async function daily() {
    const world = createWorld();
    const ran = world.path('outside/ran');
    const program = world.write(
      'outside/update.cjs',
      `require('node:fs').writeFileSync(${JSON.stringify(ran)}, process.argv.slice(2).join(' '))`,
    );
    configure(world, { update: 'daily', sources: ['./team'] });
    await run(world, 'trust', '--yes');
    const lines: string[] = [];
    const log = createLog('info', (line) => lines.push(line));
    const start = () => {
      const io = ioOf(world);
      const options = { file: 'footbridge.json', isDiscovered: true, io, log, firstMs: 1, everyMs: 1e6 };
      onTestFinished(updateDaily({ ...options, program: { file: program, node: process.execPath } }));
    };
    return { world, ran, lines, start };
  }

  it('runs for a trusted file, also in a command that asks for trust', async () => {
    const { ran, start } = await daily();
    start();
    await until(() => existsSync(ran));
    await until(() => readFileSync(ran, 'utf8') === 'update --yes --json');
  });

  it('does not run for a changed file', async () => {
    const { lines, ran, start, world } = await daily();
    configure(world, { update: 'daily', sources: ['./team'], trust: { scan: ['./evil'] } });
    start();
    await until(() => lines.some((line) => line.includes('Sources are not updated: footbridge.json has changed since it was trusted')));
    expect(existsSync(ran)).toBe(false);
  });

  it('rejects the sources of a changed file, and does nothing', async () => {
    const { world } = await daily();
    const repository = newRepository({ 'pdf/SKILL.md': skillText('pdf') });
    configure(world, { update: 'daily', sources: [`git+file://${repository}`] });
    expect(await run(world, 'update', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has changed since it was trusted, so its sources are not updated automatically'),
    });
    expect(existsSync(world.path('project/footbridge.lock'))).toBe(false);
    await run(world, 'trust', '--yes');
    commit(repository, {});
    expect((await run(world, 'update', '--yes')).stdout).toContain(git(repository, 'rev-parse', 'HEAD').slice(0, 7));
  });
});

it('a .npmrc of the project does not change the registry of the user', async () => {
  const world = createWorld();
  const tarball = gzipSync(tar({ name: 'package/skills/pdf/SKILL.md', content: skillText('pdf') }));
  const asked = { own: 0, project: 0 };
  const registry = (name: 'own' | 'project') =>
    serveOver((request, response) => {
      asked[name]++;
      if (request.url?.endsWith('.tgz') === true) return response.end(tarball);
      const dist = { tarball: `http://${request.headers.host}/pdf-1.0.0.tgz`, shasum: '' };
      return response.end(JSON.stringify({ 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { dist } } }));
    });
  const [own, project] = [await registry('own'), await registry('project')];
  world.write('home/.npmrc', `registry=${own}\n@mine:registry=${own}\n`);
  world.write('project/.npmrc', `registry=${project}\n@mine:registry=${project}\n@team:registry=${project}\n`);
  const asksOf = async (name: string) => {
    Object.assign(asked, { own: 0, project: 0 });
    await run(world, 'add', name);
    return Object.entries(asked).flatMap(([which, count]) => (count > 0 ? [which] : []));
  };
  configure(world, { update: 'daily' });
  for (const name of ['npm:pdf', 'npm:@mine/pdf', 'npm:@team/pdf']) expect(await asksOf(name), name).toEqual(['own']);
  await run(world, 'trust', '--yes');
  for (const name of ['npm:pdf', 'npm:@mine/pdf']) expect(await asksOf(name), name).toEqual(['own']);
  expect(await asksOf('npm:@team/pdf')).toEqual(['project']);
});
