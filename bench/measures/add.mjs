// `add` of a repository with 1,000 skills against `git clone --depth 1` of it, and a start with them against the same in a folder.
import { execFile, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { milliseconds, ratioAtMost, row } from '../report.mjs';
import { command, fillCache, timeStart } from '../servers.mjs';
import { interleave, median } from '../statistics.mjs';

const run = promisify(execFile);
const [ADD_ROUNDS, START_ROUNDS] = [7, 15];

export async function measureAdd(workspace) {
  const { folder, names } = await workspace.skills(1000);
  const repository = repositoryWith(workspace, folder);
  const server = fork(join(import.meta.dirname, 'git-server.mjs'), [repository]);
  try {
    const [port] = await once(server, 'message');
    const url = `http://127.0.0.1:${port}/skills/.git`;
    return [await adding(workspace, url), await starting(workspace, url, folder, names)];
  } finally {
    server.kill();
  }
}

/** The folder above a repository `skills` with these skills. */
function repositoryWith(workspace, folder) {
  const above = workspace.folder('repositories');
  const git = (...args) => execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', ...args], { cwd: above });
  git('init', '--quiet', 'skills');
  git('--git-dir=skills/.git', `--work-tree=${folder}`, 'add', '--all');
  git('--git-dir=skills/.git', `--work-tree=${folder}`, 'commit', '--quiet', '-m', 'Skills');
  return above;
}

async function adding(workspace, url) {
  const timed = async (program, args) => {
    // New ones each time, on the same disk.
    const [home, cwd] = [workspace.folder('add-home'), workspace.folder('add-work')];
    const begin = performance.now();
    await run(program, args, { cwd, env: { ...workspace.environment, HOME: home, USERPROFILE: home }, maxBuffer: 64 * 1024 * 1024 });
    return performance.now() - begin;
  };
  const samples = await interleave(ADD_ROUNDS, {
    add: () => timed(process.execPath, [command, 'add', `git+${url}`, '--yes']),
    clone: () => timed('git', ['clone', '--quiet', '--depth', '1', url]),
  });
  const [ours, other] = [median(samples.add), median(samples.clone)];
  return row({
    measure: 'Add, a repository with 1,000 skills',
    ours: milliseconds(ours),
    other: `git clone --depth 1 ${milliseconds(other)}`,
    ratio: ours / other,
    limit: ratioAtMost(2),
  });
}

async function starting(workspace, url, folder, names) {
  const configured = (name, settings) => {
    const config = join(workspace.folder(name), 'footbridge.json');
    writeFileSync(config, JSON.stringify({ standardFolders: false, ...settings }));
    return config;
  };
  const [added, plain] = [configured('added', {}), configured('plain', { skills: [folder] })];
  execFileSync(process.execPath, [command, 'add', `git+${url}`, '--yes', '--config', added], {
    env: workspace.environment,
    stdio: 'ignore',
  });
  const served = (tools) => JSON.stringify(tools[0]).includes(names[0]);
  const serverWith = (config) => (cache) => ({ args: [command, '--config', config], environment: { FOOTBRIDGE_CACHE: cache } });
  const [addedCache, plainCache] = [await fillCache(workspace, serverWith(added)), await fillCache(workspace, serverWith(plain))];
  const samples = await interleave(START_ROUNDS, {
    fetched: () => timeStart(workspace, serverWith(added)(addedCache), served),
    folder: () => timeStart(workspace, serverWith(plain)(plainCache), served),
  });
  const [ours, other] = [median(samples.fetched), median(samples.folder)];
  return row({
    measure: 'Start, 1,000 skills: fetched',
    ours: milliseconds(ours),
    other: `from a folder ${milliseconds(other)}`,
    ratio: ours / other,
    limit: ratioAtMost(1.2),
  });
}
