/** Runs the system's git so that nothing of a repository runs: no hooks, filters, submodules or prompts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { echo } from '../../../errors.js';
import { FETCH_BOUNDS } from '../bounds.js';
import { FetchError } from '../fetch-error.js';

export interface GitSurroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** The bare repository. */
  readonly repository: string;
  /** Allowed protocols, such as `https`. Without any, git reads only the local repository. */
  readonly protocols?: readonly string[];
  /** The program for ssh. Default: the user's. */
  readonly ssh?: string | undefined;
}

/** Settings that override those of the user and of the repository. */
const SETTINGS = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.askPass': '',
  'credential.interactive': 'false',
  'fetch.recurseSubmodules': 'false',
  'fetch.unpackLimit': '1',
  // The repository is removed afterwards.
  'core.fsync': 'none',
  'submodule.recurse': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'protocol.version': '2',
  'filter.lfs.smudge': '',
  'filter.lfs.process': '',
  'filter.lfs.required': 'false',
  'advice.fetchShowForcedUpdates': 'false',
};

/** Variables of git that only affect the connection; all others could change what it does. */
const KEPT =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_\w+|HTTP_\w+|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|TRACE\w*|EXEC_PATH)$/;

function environment({ env, protocols = [], ssh }: GitSurroundings): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name)));
  return {
    ...kept,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    ...(ssh === undefined ? {} : { GIT_SSH_COMMAND: ssh }),
    // Older versions of git do not know GIT_NO_LAZY_FETCH, and would fetch what is missing.
    GIT_ALLOW_PROTOCOL: protocols.length === 0 ? 'none' : protocols.join(':'),
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ADVICE: '0',
  };
}

/** Starts git. The caller reads stdout. It is killed when the signal is aborted. */
export function startGit(args: readonly string[], surroundings: GitSurroundings): ChildProcess {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawn('git', [...settings, `--git-dir=${surroundings.repository}`, ...args], {
    env: environment(surroundings),
    signal: surroundings.signal,
    killSignal: 'SIGKILL',
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** More than the list of the files that a repository may have. */
const LONGEST_OUTPUT = 64 * 1024 * 1024;
const LONGEST_ERROR = 64 * 1024;
const LOOK_MS = 200;

/**
 * Runs git and returns its output. Throws a `FetchError` for an exit code other than 0 or `allowed`, after a timeout, or if the repository
 * exceeds its limit.
 */
export async function runGit(args: readonly string[], surroundings: GitSurroundings, input = ''): Promise<Buffer> {
  const signal = AbortSignal.any([surroundings.signal, AbortSignal.timeout(FETCH_BOUNDS.gitMs)]);
  const stop = new AbortController();
  const child = startGit(args, { ...surroundings, signal: AbortSignal.any([signal, stop.signal]) });
  let isTooLarge = false;
  const look = setInterval(() => {
    isTooLarge ||= sizeOf(surroundings.repository) > FETCH_BOUNDS.repository;
    if (isTooLarge) stop.abort();
  }, LOOK_MS);
  try {
    const { code, output, error } = await outcome(child, input);
    if (isTooLarge || output.length > LONGEST_OUTPUT) throw tooLarge();
    if (code !== 0) throw failed(error);
    return output;
  } catch (cause) {
    if (isTooLarge) throw tooLarge();
    surroundings.signal.throwIfAborted();
    if (signal.aborted) throw new FetchError('git did not finish in time.', 'Try again later, or name a smaller repository.');
    throw cause;
  } finally {
    clearInterval(look);
  }
}

function outcome(child: ChildProcess, input: string) {
  return new Promise<{ readonly code: number | null; readonly output: Buffer; readonly error: string }>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let error = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > LONGEST_OUTPUT) child.kill('SIGKILL');
      chunks.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (error.length < LONGEST_ERROR) error += chunk.toString('utf8');
    });
    child.once('error', (cause) => reject(isMissing(cause) ? noGit() : cause));
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks), error }));
    // It may exit before it has read everything.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** Creates an empty bare repository as `git init --bare` does, without a process. `folder` must not exist, and its parent be private. */
export function createRepository(folder: string): void {
  for (const each of ['', 'objects', join('objects', 'info'), join('objects', 'pack'), 'refs', join('refs', 'heads'), join('refs', 'tags')])
    mkdirSync(join(folder, each), 0o700);
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n', { flag: 'wx' });
  writeFileSync(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n', { flag: 'wx' });
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}

export function noGit(): FetchError {
  return new FetchError('git was not found.', 'Install git 2.30 or newer, and see that it is in PATH.');
}

/** The size of the packs, which contain nearly everything. */
function sizeOf(repository: string): number {
  try {
    const folder = join(repository, 'objects', 'pack');
    return readdirSync(folder).reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
  } catch {
    // Not created yet.
    return 0;
  }
}

function tooLarge(): FetchError {
  const size = FETCH_BOUNDS.repository / 1024 / 1024;
  return new FetchError(`The repository has more than ${size} MiB.`, 'Name a folder in it, such as github:owner/repo/skills.');
}

/** The server sends only what its branches and tags lead to. */
export class UnadvertisedObject extends FetchError {}

const UNADVERTISED = /unadvertised object|not our ref|does not allow request/i;

function failed(error: string): FetchError {
  const reason = /^(?:fatal|error|remote): .*$/m.exec(error)?.[0].replace(/^\w+: /, '') ?? 'unknown reason';
  const isDenied = /authentication|could not read username|permission denied|terminal prompts disabled|not found/i.test(error);
  const Failure = UNADVERTISED.test(error) ? UnadvertisedObject : FetchError;
  return new Failure(
    `git failed: ${echo(reason)}.`.replace(/\.\.$/, '.'),
    isDenied
      ? 'Check its name. For a private repository, set up access so that git does not ask, by a credential helper or an ssh key.'
      : 'Check the name of the repository and of the branch or tag, and the network.',
  );
}
