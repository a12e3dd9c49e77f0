/** `footbridge surface`: prints everything that a server offers, or what changed since it was last printed. */
import { readFile } from 'node:fs/promises';
import { systemCode } from '../../errors.js';
import { createLog } from '../../log.js';
import { createServer } from '../../serve/server.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import { checkNamed } from '../config/index.js';
import { ConfigError } from '../config/problems.js';
import { CommandError } from '../failure.js';
import type { Io } from '../io.js';
import { type CommonOptions, openCatalog } from '../options.js';
import { withProgress } from '../progress.js';
import { plain } from '../terminal.js';
import { wrappedServer } from '../wrapped-server.js';
import { compareSurfaces, parseSurface, type Surface, type SurfaceDifference, SurfaceFailure, surfaceText } from './canonical.js';
import { readSurface } from './read.js';
import { printDifference, printSurface } from './report.js';

interface SurfaceOptions extends CommonOptions {
  readonly against?: string;
  readonly exact?: boolean;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  /** In seconds, for each answer. */
  readonly timeout: number;
}

/** `server` is a URL, a command with its arguments, or empty for Footbridge itself. Returns 1 for differences; a failure exits with 2. */
export async function surface(server: readonly string[], options: SurfaceOptions, io: Io): Promise<number> {
  try {
    if (options.exact === true && options.against === undefined)
      throw new SurfaceFailure('--exact requires --against.', 'Name the file to compare with: --against FILE');
    if (server.length > 0) await checkNamed(options.config, io);
    const before = options.against === undefined ? undefined : await savedSurface(options.against, io);
    const present = await (server.length === 0 ? readOwn(options, io) : readNamed(server, options, io));
    if (before === undefined) {
      if (options.json === true) io.printExactly(surfaceText(present));
      else printSurface(present, io);
      return 0;
    }
    const difference = compareSurfaces(before, present);
    if (options.json === true) io.printJson(difference);
    else printDifference(difference, present, io);
    return verdict(difference, options.exact === true);
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError('failed', error.message, [], 2);
    const { message, action, exitCode } = error instanceof SurfaceFailure ? error : unexpected(error);
    throw new CommandError('failed', message, [action], exitCode);
  }
}

function unexpected(error: unknown): SurfaceFailure {
  const reason = error instanceof Error ? error.message : String(error);
  return new SurfaceFailure(`The surface could not be read: ${reason}`, 'Please report this as a bug of Footbridge.');
}

/** Additions are compatible. */
function verdict({ added, removed, changed }: SurfaceDifference, exact: boolean): number {
  return removed.length + changed.length + (exact ? added.length : 0) > 0 ? 1 : 0;
}

function read(server: UpstreamServer, name: string, { logLevel, timeout }: SurfaceOptions, io: Io): Promise<Surface> {
  const log = createLog(logLevel, (line) => io.printError(line.trimEnd()));
  const stderr = (line: string) => io.printError(`${name}: ${line}`);
  const reading = { timeoutMs: timeout * 1000, interrupted: interruption(), log, stderr };
  return withProgress(waitingFor(server), () => readSurface(server, reading), io);
}

/** A package runner may install the server first. */
function waitingFor(server: UpstreamServer): string {
  if (!('command' in server)) return 'url' in server ? `waiting for ${plain(new URL(server.url).host)}…` : 'reading the lists…';
  const words = [server.command, ...(server.args ?? [])].map(plain).join(' ');
  return /^(?:npx|bunx|pnpx|uvx)(?:\.cmd)?$/.test(server.command) ? `installing and starting ${words}…` : `waiting for ${words}…`;
}

async function readOwn(options: SurfaceOptions, io: Io): Promise<Surface> {
  const { catalog, log, config, end } = await openCatalog(options, { watch: false }, io);
  const { identity, tools } = config;
  const server = createServer({ catalog, log, prompts: options.prompts === true, announce: false, identity, tools });
  try {
    return await read({ server }, 'footbridge', options, io);
  } finally {
    await end();
  }
}

async function readNamed(words: readonly string[], options: SurfaceOptions, io: Io): Promise<Surface> {
  const outcome = wrappedServer(words, options, io);
  if (!outcome.ok) throw new SurfaceFailure(outcome.problem, 'Run footbridge surface --help for examples.');
  const { name, server } = outcome.wrapped;
  return read('command' in server ? { cwd: io.cwd, ...server } : server, name, options, io);
}

async function savedSurface(file: string, io: Io): Promise<Surface> {
  const text = await readFile(io.path(file), 'utf8').catch((error: unknown) => {
    const code = systemCode(error);
    throw new SurfaceFailure(
      code === 'ENOENT' ? `File not found: ${file}` : `Cannot read ${file} (${code}).`,
      'Create it with: footbridge surface --json -- COMMAND > FILE',
    );
  });
  return parseSurface(text, file);
}

/** Rejects on a signal, so that the server is ended first. A second signal exits at once. */
function interruption(): Promise<never> {
  const signalled = new Promise<never>((_resolve, reject) => {
    for (const [signal, exitCode] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(exitCode));
        reject(new SurfaceFailure('Stopped.', 'Nothing was compared.', exitCode));
      });
    }
  });
  // A signal may arrive after the surface was read.
  signalled.catch(() => {});
  return signalled;
}
