/** The configuration: `footbridge.json` in the working folder, or the file that `--config` names. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpAccess } from '../../serve/http/options.js';
import type { Identity } from '../../serve/identity.js';
import type { TrustSettings } from '../../sources/fetched/trust/settings.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import type { HostOptions } from '../../surfaces/hosts/view.js';
import type { ToolChoice } from '../../surfaces/tools/index.js';
import type { Surroundings } from '../io.js';

export interface PackChoice {
  /** A package, or the path of a module that starts with `.` or `/`. */
  readonly name: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A source that `footbridge add` wrote. */
export interface ConfiguredSource {
  readonly source: string;
  /** Names of the chosen skills; empty for all. */
  readonly skills: readonly string[];
}

/** How the catalog is shown to hosts. */
export interface HostConfig {
  readonly profiles?: HostOptions['profiles'];
  readonly budget?: number | undefined;
  readonly showNative?: boolean;
  readonly countUsage?: boolean;
  readonly toolSearch?: HostOptions['toolSearch'];
  readonly always?: HostOptions['always'];
}

/** What is ignored of a file that was found in the working folder, until `footbridge trust` is run there. */
export interface Untrusted {
  /** Whether it was trusted before it changed. */
  readonly isChanged: boolean;
  /** Why servers are missing, and what to do. */
  readonly reason: string;
  readonly servers: readonly string[];
  readonly packs: readonly string[];
  /** Skill folders outside the folder of the file. */
  readonly folders: readonly string[];
  /** Sources on this machine outside the folder of the file, which are not fetched. */
  readonly sources: readonly string[];
  /** Variables of the environment that it would use. */
  readonly variables: readonly string[];
  /** Whether it configures who may connect over HTTP. */
  readonly http: boolean;
  /** Whether it sets which folders hosts read: `sync` writes there. */
  readonly hostFolders: boolean;
  /** Whether it allows files with secrets to be served. */
  readonly secrets: boolean;
  /** Whether it has its sources updated. */
  readonly updates: boolean;
  /** Whether it names a command that scans new content. */
  readonly scan: boolean;
}

/** The configuration with its defaults. */
export interface Config {
  /** Undefined without a file. */
  readonly file?: string;
  /** Whether the file was found in the working folder, and not named by the person. */
  readonly isDiscovered?: boolean;
  /** Absent if everything may be used. */
  readonly untrusted?: Untrusted;
  /** In addition to the standard ones. Relative paths start at the working folder. */
  readonly skills: readonly string[];
  /** Those of `skills` that lie in the working folder, and have to stay there: the file may have come with it. */
  readonly confined?: readonly string[];
  /** Undefined if not configured. */
  readonly standardFolders?: boolean;
  readonly sources: readonly ConfiguredSource[];
  /** How often a server over HTTP updates its sources. Default: never. */
  readonly update?: 'daily' | undefined;
  /** Which content of the sources is accepted. */
  readonly trust?: TrustSettings | undefined;
  readonly locked?: boolean;
  readonly serveSecrets?: boolean;
  /** In the order of the file. */
  readonly mcpServers: Readonly<Record<string, UpstreamServer>>;
  /** Seconds; false for never. */
  readonly idle?: number | false;
  readonly running?: number;
  readonly packs: readonly PackChoice[];
  readonly tools: ToolChoice;
  /** How the catalog is shown to hosts. */
  readonly showing: HostConfig;
  readonly identity?: Identity;
  readonly http: HttpAccess;
}

export const CONFIG_FILE = 'footbridge.json';

export const NOTHING: Config = { skills: [], sources: [], mcpServers: {}, packs: [], tools: {}, showing: {}, http: {} };

/** The named file, or `footbridge.json` in the working folder if it exists, as far as it is trusted. Throws if it is invalid. */
export async function findConfig(named: string | undefined, io: Pick<Surroundings, 'cwd' | 'env' | 'home'>): Promise<Config> {
  if (named === undefined && !isThere(join(io.cwd, CONFIG_FILE))) return NOTHING;
  // Loaded only if a file exists, for start-up time.
  const { loadConfig } = await import('./load.js');
  return loadConfig(named ?? CONFIG_FILE, io, named === undefined);
}

/** The skill folders of a configuration, and those of the command line, which may lead anywhere. */
export function namedFolders({ confined = [], skills }: Config, named: readonly string[]) {
  return { folders: [...skills, ...named], confinedFolders: confined.filter((each) => !named.includes(each)) };
}

/** For commands that use no configuration: a named file must still be valid. */
export async function checkNamed(named: string | undefined, io: Pick<Surroundings, 'cwd' | 'env' | 'home'>): Promise<void> {
  if (named !== undefined) await findConfig(named, io);
}

/** A broken link counts as existing: its owner expects it to be read. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The working folder may be unreadable.
    return false;
  }
}
