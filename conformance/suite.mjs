// The official conformance suite: which scenarios it has, and runs of them against a server and a client.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const installed = join(import.meta.dirname, 'node_modules');
const cli = join(installed, '@modelcontextprotocol', 'conformance', 'dist', 'index.js');

/** The newest revision of each era. Scenarios of extensions are run at these. */
export const ERAS = ['2025-11-25', '2026-07-28'];
/** How long a scenario may take, and all of those that one process runs. */
const SCENARIO_MS = 30_000;
const PROCESS_MS = 300_000;
/** Clients at once: most of the time each waits for programs to start. */
const CLIENTS = 3;

/**
 * Runs all scenarios for servers against `url`, each at every revision it is for, or at those of them that are wanted; `folder`
 * gets what the suite writes.
 */
export async function runSuite(url, folder, wanted) {
  rmSync(folder, { recursive: true, force: true });
  const scenarios = await list();
  const revisions = wanted ?? [...new Set(scenarios.flatMap(({ revisions }) => revisions))].sort();
  const runs = [];
  for (const revision of revisions) {
    const output = join(folder, revision);
    const options = ['server', '--url', url, '--spec-version', revision, '--timeout', String(SCENARIO_MS), '-o', output];
    await conformance([...options, '--suite', 'all']);
    // The suite leaves extensions out of a revision, unless they are asked for one by one.
    const due = scenarios.filter(({ revisions }) => revisions.includes(revision));
    for (const { name } of due.filter(({ extension }) => extension)) await conformance([...options, '--scenario', name, '--force']);
    runs.push(...due.map(({ name }) => ({ revision, scenario: name, checks: checksOf(output, name) })));
  }
  return runs;
}

/**
 * Runs the scenarios on authorization for clients with `command`, each at the newest revision of each era that it is for, or at
 * the only one that it is for.
 */
export async function runClientSuite(command, folder) {
  rmSync(folder, { recursive: true, force: true });
  const scenarios = (await list('--client')).filter(({ name }) => name.startsWith('auth/'));
  const due = scenarios.flatMap(({ name, extension, revisions }) => {
    const newest = extension ? [ERAS[0]] : ERAS.filter((era) => revisions.includes(era));
    return (newest.length === 0 ? revisions : newest).map((revision) => ({ revision, scenario: name, extension }));
  });
  const runs = [];
  const worker = async () => {
    for (let run = due.shift(); run !== undefined; run = due.shift()) {
      const { extension, revision, scenario } = run;
      const output = join(folder, revision);
      const options = ['--command', command, '--spec-version', revision, '--timeout', String(SCENARIO_MS), '-o', output];
      await conformance(['client', ...options, '--scenario', scenario, ...(extension ? ['--force'] : [])]);
      runs.push({ revision, scenario, checks: checksOf(output, scenario, 'client') });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
  return runs;
}

/** From lines such as `- ping [2025-06-18,2025-11-25]`; an extension is for no revision in particular. */
async function list(kind = '--server') {
  const { stdout } = await conformance(['list', kind]);
  const scenarios = [...stdout.matchAll(/^\s*- (\S+) \[(.+)\]$/gm)].map(([, name, tags]) => {
    const extension = tags === 'extension';
    return { name, extension, revisions: extension ? ERAS : tags.split(',') };
  });
  if (scenarios.length === 0) throw new Error(`The suite lists no scenarios:\n${stdout}`);
  return scenarios;
}

function checksOf(output, scenario, kind = 'server') {
  // That of `auth/dpop` at a client is `auth/dpop-<time>`.
  const place = join(output, kind === 'client' ? dirname(scenario) : '');
  const prefix = kind === 'client' ? basename(scenario) : `server-${scenario}`;
  const folder = (existsSync(place) ? readdirSync(place) : []).find((name) => /^(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1] === prefix);
  const file = folder === undefined ? undefined : join(place, folder, 'checks.json');
  return file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** The suite fails where a scenario does, so how it ends says nothing: the checks do. */
function conformance(args) {
  return new Promise((resolve, reject) => {
    const child = execFile(
      node(),
      [cli, ...args],
      { timeout: PROCESS_MS, killSignal: 'SIGKILL', maxBuffer: Infinity },
      (_error, stdout) => {
        process.off('exit', end);
        resolve({ stdout });
      },
    );
    const end = () => child.kill('SIGKILL');
    process.on('exit', end);
    child.on('error', reject);
  });
}

/** A Node that the suite runs on: this one if it is new enough, else the one that is installed with the suite. */
function node() {
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath;
  const found = readdirSync(installed)
    .filter((name) => name.startsWith('node-'))
    .flatMap((name) => [join(installed, name, 'bin', 'node'), join(installed, name, 'bin', 'node.exe')])
    .find((path) => existsSync(path));
  if (found === undefined)
    throw new Error('The suite needs Node 22 or newer, and there is none for this platform on npm: run it with one.');
  return found;
}
