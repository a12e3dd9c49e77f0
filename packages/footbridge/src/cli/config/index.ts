/** The configuration: `footbridge.json` in the working folder, or the file that `--config` names. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpAccess } from '../../serve/http/options.js';
import type { Identity } from '../../serve/identity.js';
import type { ServerOptions } from '../../serve/server.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import type { ToolChoice } from '../../surfaces/tools/index.js';
import type { Surroundings } from '../io.js';

/** A pack as it is configured. */
export interface PackChoice {
  /** Of a package, or a path to a module that begins with `.` or `/`. */
  readonly name: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** What a configuration says, and what holds where it is silent. */
export interface Config {
  /** Where it comes from, if there is a file. */
  readonly file?: string;
  /** Folders besides the standard ones; those that are relative begin at the working folder. */
  readonly skills: readonly string[];
  /** Whether the standard folders are searched; undefined where nobody said. */
  readonly standardFolders?: boolean;
  /** Whether skills are withheld that differ from `footbridge.lock`. */
  readonly locked?: boolean;
  /** By name, in order of the file. */
  readonly mcpServers: Readonly<Record<string, UpstreamServer>>;
  readonly packs: readonly PackChoice[];
  readonly tools: ToolChoice;
  /** Who the caller is over stdio. */
  readonly identity?: Identity;
  readonly http: HttpAccess;
}

const FILE = 'footbridge.json';

/** Where nothing is configured. */
export const NOTHING: Config = { skills: [], mcpServers: {}, packs: [], tools: {}, http: {} };

/** The configuration of the file named, else of the one in the working folder, if there is one. Throws when it is bad. */
export async function findConfig(named: string | undefined, io: Pick<Surroundings, 'cwd' | 'env' | 'home'>): Promise<Config> {
  if (named === undefined && !isThere(join(io.cwd, FILE))) return NOTHING;
  // Every start without a file is spared what reading one takes.
  const { loadConfig } = await import('./load.js');
  return loadConfig(named ?? FILE, io);
}

/** For a command that takes nothing from a configuration: a mistake in one that was named is told all the same. */
export async function checkNamed(named: string | undefined, io: Pick<Surroundings, 'cwd' | 'env' | 'home'>): Promise<void> {
  if (named !== undefined) await findConfig(named, io);
}

/** What a server of the one caller over stdio takes of a configuration. */
export function ownServer({ tools, identity }: Config): Pick<ServerOptions, 'tools' | 'identity'> {
  return { tools, identity };
}

/** A link that leads nowhere is there: somebody meant it to be read. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // a working folder that we may not look into
    return false;
  }
}
