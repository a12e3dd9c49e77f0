/** `footbridge surface`: all that a server offers, and what changed since it was last printed. */
import { readFile } from 'node:fs/promises';
import { systemCode } from '../../errors.js';
import { checkNamed } from '../config/index.js';
import { ConfigError } from '../config/problems.js';
import type { Io } from '../io.js';
import type { CommonOptions } from '../options.js';
import { parseSurface, type Surface, surfaceText } from '../surface/canonical.js';
import { compareSurfaces, type Difference } from '../surface/difference.js';
import { SurfaceFailure } from '../surface/failure.js';
import { commandPeer, ownPeer, type Peer, urlPeer } from '../surface/peers.js';
import { readSurface } from '../surface/read.js';
import { printDifference, printSurface } from '../surface/report.js';

export interface SurfaceOptions extends CommonOptions {
  readonly against?: string;
  readonly exact?: boolean;
  /** Seconds for each answer. */
  readonly timeout: number;
}

/** `server` is a URL, a command with its arguments, or nothing for footbridge itself. Exit 1: differs, 2: could not tell. */
export async function surface(server: readonly string[], options: SurfaceOptions, io: Io): Promise<number> {
  try {
    if (options.exact === true && options.against === undefined)
      throw new SurfaceFailure('--exact says how to compare.', 'Name the file to compare with: --against FILE');
    if (server.length > 0) await checkNamed(options.config, io);
    const before = options.against === undefined ? undefined : await savedSurface(options.against, io);
    const present = await readSurface(peerOf(server, options, io), options.timeout * 1000, interruption());
    if (before === undefined) {
      if (options.json === true) io.print(surfaceText(present));
      else printSurface(present, io);
      return 0;
    }
    const difference = compareSurfaces(before, present);
    if (options.json === true) io.printJson(difference);
    else printDifference(difference, present, io);
    return verdict(difference, options.exact === true);
  } catch (error) {
    if (error instanceof ConfigError) {
      io.printError(`footbridge error: ${error.message}`);
      return 2;
    }
    const { message, action, exitCode } = error instanceof SurfaceFailure ? error : unexpected(error);
    io.printError(`${message}\n${action}`);
    return exitCode;
  }
}

function unexpected(error: unknown): SurfaceFailure {
  const reason = error instanceof Error ? error.message : String(error);
  return new SurfaceFailure(`The surface could not be read: ${reason}`, 'If the server is not at fault, please report it.');
}

/** What is only added breaks nobody who uses the server. */
function verdict({ added, removed, changed }: Difference, exact: boolean): number {
  return removed.length + changed.length + (exact ? added.length : 0) > 0 ? 1 : 0;
}

function peerOf(server: readonly string[], options: SurfaceOptions, io: Io): () => Peer | Promise<Peer> {
  const [first, ...others] = server;
  if (first === undefined) return () => ownPeer(options, io);
  if (!/^https?:\/\//i.test(first)) return () => commandPeer(first, others);
  if (!URL.canParse(first) || others.length > 0)
    throw new SurfaceFailure(`'${server.join(' ')}' is not one URL.`, 'Give a URL such as http://127.0.0.1:3333/mcp and nothing after it.');
  return () => urlPeer(new URL(first));
}

async function savedSurface(file: string, io: Io): Promise<Surface> {
  const text = await readFile(io.path(file), 'utf8').catch((error: unknown) => {
    const code = systemCode(error);
    throw new SurfaceFailure(
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read (${code}).`,
      'Make it first: footbridge surface --json -- COMMAND > FILE',
    );
  });
  return parseSurface(text, file);
}

/** Rejects when we are told to stop, so that the server is ended first. Told again, we do not wait for it. */
function interruption(): Promise<never> {
  const told = new Promise<never>((_resolve, reject) => {
    for (const [signal, exitCode] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(exitCode));
        reject(new SurfaceFailure('Stopped.', 'Nothing was compared.', exitCode));
      });
    }
  });
  // It may come when nobody waits for an answer any more.
  told.catch(() => {});
  return told;
}
