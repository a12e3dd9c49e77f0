/** Drives one session of a host, with a scripted model and MCP servers, in temporary folders. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type Host, LABEL, type ServerCommand } from './host.js';
import type { InstalledHost } from './install.js';
import { fieldOf, parsed, stringOf } from './json.js';
import { startModel } from './model/server.js';
import { type Experience, startSession } from './model/session.js';
import type { NextCall } from './parts.js';

/** How long a host may take to end by itself after the script. */
const LEAVE_MS = 300;
const POLL_MS = 50;
const OUTPUT_KEPT = 20_000;

export interface Drive {
  /** Footbridge, which the host knows as `LABEL`, or undefined to drive the host without it. */
  readonly server?: ServerCommand;
  /** Servers beside it. */
  readonly others?: Readonly<Record<string, ServerCommand>>;
  readonly calls: readonly NextCall[];
  /** Environment variables beyond those of the host. */
  readonly env?: Readonly<Record<string, string>>;
  /** Puts files into the home or the project before the host starts. */
  plant?(roots: Roots): void;
  readonly timeoutMs: number;
}

export interface Roots {
  readonly home: string;
  readonly project: string;
}

export interface Session extends Experience {
  /** How the host introduced itself to Footbridge. */
  readonly client?: { readonly name: string; readonly protocol: string };
  readonly seconds: number;
}

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach(end));

/** Runs a session to the end of its script, or to the timeout. Never throws because of the host. */
export async function drive(host: Host, installed: InstalledHost, options: Drive, tap: string): Promise<Session> {
  const began = Date.now();
  const root = realpathSync(mkdtempSync(join(tmpdir(), `footbridge-hosts-${host.id}-`)));
  const roots = { home: join(root, 'home'), project: join(root, 'project') };
  const introduction = join(root, 'client.json');
  for (const folder of [roots.home, roots.project, join(root, 'tmp')]) mkdirSync(folder);
  options.plant?.(roots);
  const session = startSession({ label: LABEL, calls: options.calls, bareNames: host.bareNames ?? false });
  const model = await startModel(session);
  try {
    const tapped = options.server && through(tap, introduction, options.server);
    const servers = { ...(tapped && { [LABEL]: tapped }), ...options.others };
    const { files, args, env } = host.launch({ ...roots, model: model.url, servers });
    for (const { path, content } of files) write(path, content);
    const child = spawn(installed.program, args, {
      cwd: roots.project,
      // A group of its own, so that everything that the host starts ends with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...surroundings(roots, join(root, 'tmp'), installed), ...env, ...options.env },
    });
    running.add(child);
    const output = collect(child);
    const outcome = await ending(child, () => session.isDone, began + options.timeoutMs);
    end(child);
    running.delete(child);
    const problem = session.experience.problem ?? (session.isDone ? undefined : `${outcome} ${output().trim().slice(-300)}`);
    const client = clientIn(introduction);
    const seconds = (Date.now() - began) / 1000;
    return { ...session.experience, ...(problem === undefined ? {} : { problem }), ...(client && { client }), seconds };
  } finally {
    model.close();
    remove(root);
  }
}

/** What is still ending may write into the folder once more; it then stays in the temporary folder. */
function remove(root: string): void {
  try {
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch {
    // Nothing depends on it.
  }
}

function through(tap: string, file: string, { command, args }: ServerCommand): ServerCommand {
  return { command: process.execPath, args: [tap, file, command, ...args] };
}

function write(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

/** The environment of a host: nothing of the caller's but the path. */
function surroundings({ home }: Roots, tmp: string, { nodeFolder }: InstalledHost): NodeJS.ProcessEnv {
  return {
    PATH: [nodeFolder, dirname(process.execPath), process.env['PATH']].filter((each) => each !== undefined).join(delimiter),
    HOME: home,
    TMPDIR: tmp,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    CI: '1',
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
  };
}

function collect(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-OUTPUT_KEPT);
    });
  }
  return () => output;
}

/** Resolves when the host has ended, when the script has, or at the deadline; with what happened. */
function ending(child: ChildProcess, isDone: () => boolean, deadline: number): Promise<string> {
  return new Promise((resolve) => {
    let doneAt: number | undefined;
    const timer = setInterval(() => {
      if (isDone()) doneAt ??= Date.now();
      if (doneAt !== undefined && Date.now() - doneAt > LEAVE_MS) finish('The script ended.');
      else if (Date.now() > deadline) finish('The host did not finish in time.');
    }, POLL_MS);
    function finish(reason: string): void {
      clearInterval(timer);
      resolve(reason);
    }
    child.once('error', ({ message }) => finish(`The host did not start: ${message}.`));
    child.once('exit', (code) => finish(`The host ended with code ${code}.`));
  });
}

function end(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Everything in the group has ended.
  }
}

function clientIn(file: string): { readonly name: string; readonly protocol: string } | undefined {
  try {
    const [line = ''] = readFileSync(file, 'utf8').split('\n');
    const client = parsed(line);
    return { name: stringOf(fieldOf(client, 'name')) ?? '', protocol: stringOf(fieldOf(client, 'protocol')) ?? '' };
  } catch {
    return undefined;
  }
}
