/** Runs of every command at a terminal. */
import { appendFileSync, rmSync } from 'node:fs';
import { loginStore } from '../../src/cli/login/folder.js';
import type { LoginRecord } from '../../src/sources/upstream/sign-in/login-storage.js';
import { loginId } from '../../src/sources/upstream/sign-in/login-store.js';
import { stateFolder } from '../../src/state/index.js';
import { environmentOf, runIn } from './command.js';
import type { World } from './folders.js';

/** In the home folder, so that paths are shown as `~/app` and have the same length everywhere. */
export const APP = 'home/app';

export interface TerminalRun {
  readonly args: readonly string[];
  /** Distinguishes it from other runs with the same arguments. */
  readonly when?: string;
  /** Prepares the world. */
  readonly before?: (world: World) => unknown;
  /** Serves until it is stopped. */
  readonly serves?: true;
  /** Shows the text of a skill or a script, which is not wrapped. */
  readonly verbatim?: true;
}

export async function runHere(world: World, ...args: readonly string[]): Promise<void> {
  await runIn(world, { cwd: world.path(APP), env: environmentOf(world) }, ...args);
}

/** With a skill that has problems, about which every command warns. */
function problems(world: World): void {
  world.write(
    `${APP}/.agents/skills/broken/SKILL.md`,
    '---\nname: Broken Skill\ndescription: Shows what the output looks like if the name and the folder differ.\n---\n\nSee [the steps](steps.md).\n',
  );
}

function configured(settings: object): (world: World) => void {
  return (world) => void world.write(`${APP}/footbridge.json`, JSON.stringify(settings, undefined, 2));
}

const SERVERS = {
  mcpServers: { docs: { command: 'node', args: ['./docs-server.mjs', '--verbose'], env: { DOCS_KEY: 'x' } } },
  packs: ['./company-pack.mjs'],
};
/** A server that does not start. */
const MISSING = configured({ mcpServers: { docs: { command: 'a-program-that-does-not-exist' } } });

function team(world: World): void {
  world.skill('home/team/review-code', { description: 'Review a change before it is merged. Use when someone asks for a review.' });
  world.write('home/team/review-code/scripts/collect.sh', '#!/bin/sh\ngit diff main\n');
  world.skill('home/team/write-changelog', { description: 'Write the changelog of a release. Use when a version is tagged.' });
}

async function added(world: World): Promise<void> {
  team(world);
  await runHere(world, 'add', '~/team', '--yes');
}

async function changed(world: World): Promise<void> {
  await added(world);
  appendFileSync(world.path('home/team/review-code/SKILL.md'), 'Then look at the tests, and at what they leave out.\n');
  world.remove('home/team/write-changelog');
}

async function forgotten(world: World): Promise<void> {
  await added(world);
  rmSync(stateFolder(undefined, '', 'store', environmentOf(world), world.home), { recursive: true });
}

async function drifted(world: World): Promise<void> {
  await runHere(world, 'lock');
  appendFileSync(world.path(`${APP}/.agents/skills/pdf-forms/SKILL.md`), 'One more instruction.\n');
  world.write(`${APP}/.agents/skills/pdf-forms/references/fields.md`, 'Fields\n');
  world.remove(`${APP}/.agents/skills/office/meeting-minutes`);
}

async function tokens(world: World): Promise<void> {
  await runHere(world, 'token', 'build-agent', '--write', '--role', 'reader', '--role', 'operator-of-the-documentation');
  await runHere(world, 'token', 'ops', '--write', '--expires', '90d');
}

async function signedIn(world: World): Promise<void> {
  const server = 'https://documentation.example.org/mcp';
  const record = {
    server,
    settings: {},
    issuer: 'https://login.example.org',
    metadata: { token_endpoint: 'https://login.example.org/token' },
    client: { client_id: 'x' },
    tokens: {
      access_token: 'access',
      refresh_token: 'refresh',
      token_type: 'bearer',
      scope: 'documents.read documents.write offline_access',
    },
    signedInAt: 1,
  } as unknown as LoginRecord;
  await loginStore({ env: environmentOf(world), home: world.home }).write(loginId(server, {}), record);
}

const run = (...args: readonly string[]): TerminalRun => ({ args });
const NOBODY = 'http://127.0.0.1:1/mcp';

/** By command; each also has its help. */
export const TERMINAL_RUNS: Readonly<Record<string, readonly TerminalRun[]>> = {
  '': [run(), run('lst'), run('list', '--jsn')],
  help: [run('help', 'token'), run('help', 'nope')],
  install: [
    run('install', '--host', 'cursor', 'claude-code', '--dry-run'),
    run('install', '--host', 'cursor', '--dry-run', '--diff'),
    run('install', '--host', 'cursr'),
    run('install', '--url', 'https://mcp.example.org/mcp', '--token-env', 'TEAM_TOKEN', '--host', 'cursor', '--dry-run'),
  ],
  uninstall: [run('uninstall'), run('uninstall', '--host', 'nope')],
  doctor: [run('doctor')],
  sync: [
    run('sync', '--to', 'claude-code', '--dry-run'),
    run('sync', '--to', 'claude-code', '--yes'),
    { args: ['sync', '--remove', '--dry-run'], before: (world) => runHere(world, 'sync', '--to', 'claude-code', '--yes') },
  ],
  serve: [{ args: ['serve', '--http', '0'], serves: true }, run('serve', '--insecure')],
  wrap: [run('wrap', '--', 'npx', '-y', 'some-server'), run('wrap', '--env', '1X', '--', 'node', 'server.js')],
  token: [run('token', 'build-agent', '--role', 'admin'), run('token', 'build-agent', '--write', '--expires', '90d')],
  'token list': [run('token', 'list'), { args: ['token', 'list'], when: 'there are some', before: tokens }],
  'token revoke': [run('token', 'revoke', 'nobody'), { args: ['token', 'revoke', 'ops'], before: tokens }],
  list: [
    run('list'),
    run('list', '--long'),
    { args: ['list', '--config', 'footbridge.json'], when: 'a server does not start', before: MISSING },
  ],
  show: [{ args: ['show', 'pdf-forms'], verbatim: true }, run('show', 'pdf-form')],
  read: [run('read', 'pdf-forms'), { args: ['read', 'skill://pdf-forms/SKILL.md'], verbatim: true }],
  search: [run('search', 'fill in a form'), run('search', 'zzzzzz')],
  surface: [run('surface'), run('surface', '--', 'a-program-that-does-not-exist')],
  add: [{ args: ['add', '~/team', '--yes'], before: team }, { args: ['add', '~/team'], before: team }, run('add', 'nope')],
  remove: [
    { args: ['remove', 'review-code'], before: added },
    { args: ['remove', 'review-cod'], before: added },
  ],
  outdated: [run('outdated'), { args: ['outdated'], when: 'one has changed', before: changed }],
  update: [
    { args: ['update', '--dry-run'], before: changed },
    { args: ['update', '--yes'], before: changed },
    { args: ['update'], when: 'nothing has changed', before: added },
  ],
  fetch: [run('fetch'), { args: ['fetch'], when: 'the store is empty', before: forgotten }],
  init: [run('init', 'a-new-skill'), run('init', 'Not A Name')],
  dev: [
    { args: ['dev', '--http', '0'], serves: true },
    { args: ['dev', '--http', '0'], when: 'a skill has problems', serves: true, before: problems },
    run('dev', './missing'),
  ],
  lint: [
    run('lint'),
    { args: ['lint'], when: 'a skill has problems', before: problems },
    { args: ['lint', '--fix'], when: 'a skill has problems', before: problems },
  ],
  lock: [run('lock'), { args: ['lock', '--config', 'footbridge.json'], when: 'a server does not start', before: MISSING }],
  verify: [
    run('verify'),
    { args: ['verify'], when: 'nothing has changed', before: (world) => runHere(world, 'lock') },
    { args: ['verify'], when: 'skills have changed', before: drifted },
  ],
  trust: [
    run('trust'),
    run('trust', '--list'),
    { args: ['trust'], when: 'there are servers', before: configured(SERVERS) },
    { args: ['trust', '--yes'], before: configured(SERVERS) },
  ],
  login: [run('login', NOBODY, '--no-browser'), run('login', 'docs')],
  logout: [run('logout'), run('logout', '--all'), { args: ['logout', 'docs'], before: signedIn }],
  logins: [run('logins'), { args: ['logins'], when: 'there is one', before: signedIn }],
  completion: [{ args: ['completion', 'bash'], verbatim: true }, run('completion', 'bsh')],
};
