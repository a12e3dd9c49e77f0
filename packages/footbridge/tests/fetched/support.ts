/** A store, repositories and servers for the tests of fetched sources. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Acquired, type AcquireOptions, acquire } from '../../src/sources/fetched/acquire.js';
import type { FetchSurroundings } from '../../src/sources/fetched/kind.js';
import { parseSource } from '../../src/sources/fetched/kinds.js';
import { Store } from '../../src/sources/fetched/store.js';
import type { Skill } from '../../src/sources/source.js';

export type Files = Readonly<Record<string, string | Uint8Array>>;

export function skillText(name: string, body = 'Do it.'): string {
  return `---\nname: ${name}\ndescription: About ${name}. Use when it is asked for.\n---\n\n${body}\n`;
}

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'footbridge-fetched-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export interface Machine {
  readonly home: string;
  readonly store: Store;
  readonly surroundings: FetchSurroundings;
}

/** An empty store, as on a new machine. */
export function newMachine(skills: readonly Skill[] = []): Machine {
  const home = temporaryFolder();
  const env = { PATH: process.env['PATH'], HOME: home, XDG_STATE_HOME: join(home, 'state'), GIT_CONFIG_NOSYSTEM: '1' };
  const surroundings = {
    env,
    home,
    folder: home,
    isTrusted: true,
    isPublicOnly: false,
    signal: new AbortController().signal,
    skillsOf: async () => skills,
  };
  return { home, store: new Store({ env, home }), surroundings };
}

export function get(specification: string, machine: Machine, options: Partial<AcquireOptions> = {}): Promise<Acquired> {
  const { store, surroundings } = machine;
  return acquire(parseSource(specification).source, { store, surroundings, only: [], ...options });
}

/** Runs git in a repository of the test. */
export function git(folder: string, ...args: readonly string[]): string {
  const settings = [
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.org',
    '-c',
    'commit.gpgsign=false',
    '-c',
    'init.defaultBranch=main',
  ];
  return execFileSync('git', [...settings, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** A repository with one commit; returns its folder. */
export function newRepository(files: Files): string {
  const folder = join(temporaryFolder(), 'skills');
  mkdirSync(folder);
  git(folder, 'init', '--quiet');
  commit(folder, files);
  return folder;
}

export function commit(folder: string, files: Files): string {
  writeFiles(folder, files);
  git(folder, 'add', '--all', '--force');
  git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Change');
  return git(folder, 'rev-parse', 'HEAD');
}

/** Serves until the test ends, or `signal` aborts; returns the address without a slash at its end. */
export async function serveOver(listener: RequestListener, signal?: AbortSignal): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  signal?.addEventListener('abort', stop);
  onTestFinished(stop);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface GitServerOptions {
  /** As before protocol version 2: no filters, and no commits by their ids. */
  readonly isOld?: boolean;
  readonly requests?: string[];
  readonly signal?: AbortSignal;
}

/** Serves the repositories in a folder by `git http-backend`. */
export function serveGit(folder: string, { isOld = false, requests = [], signal }: GitServerOptions = {}): Promise<string> {
  return serveOver((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answerByBackend(folder, isOld, request, response);
  }, signal);
}

function answerByBackend(folder: string, isOld: boolean, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'uploadpack.allowFilter',
      GIT_CONFIG_VALUE_0: String(!isOld),
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      ...(isOld ? {} : { GIT_PROTOCOL: String(request.headers['git-protocol'] ?? '') }),
    },
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.once('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    for (const line of output.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.end(output.subarray(end + 4));
  });
}

const OWN = ['state', 'state/footbridge', 'state/footbridge/store', 'state/footbridge/store/drafts', 'state/footbridge/store/trees'];

/** Every name below the home, without the folders of the store and the trees in it. */
export function namesOutside({ home }: Machine): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !OWN.includes(name) && !/^state\/footbridge\/store\/trees\/[0-9a-f]{64}(?:\/|$)/.test(name),
  );
}
