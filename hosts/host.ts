/** What the rig must know of a host: where it comes from, and how it is pointed at a model and at MCP servers without a person. */

/** The name under which every host knows Footbridge. */
export const LABEL = 'bridge';

/** What every host is asked; the scripted model decides what happens. */
export const REQUEST = 'Call the tool that the script names, then stop.';

/** A command that starts an MCP server over stdio. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Where a session of a host happens. All folders are temporary. */
export interface Surroundings {
  readonly home: string;
  /** The folder of the project, in which the host is started. */
  readonly project: string;
  /** The address of the scripted model, without a path. */
  readonly model: string;
  /** MCP servers by the names that the host gives them. */
  readonly servers: Readonly<Record<string, ServerCommand>>;
}

/** A file that the host reads; `content` is text, or a value that is written as JSON. */
export interface HostFile {
  readonly path: string;
  readonly content: unknown;
}

/** How a session is started. Settings beyond model, server and telemetry are left as the host ships them. */
export interface Launch {
  readonly files: readonly HostFile[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A folder that a host reads skills from by itself, relative to the project or to the home. */
export interface SkillFolder {
  readonly root: 'project' | 'home';
  readonly path: string;
}

/** A way to run a host that is not its default. */
export interface Setting {
  readonly title: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether another server with many tools is connected as well. */
  readonly hasOtherServer?: boolean;
}

export interface Host {
  /** The identifier for `--only`, and the name of the host's file. */
  readonly id: string;
  readonly title: string;
  readonly package: string;
  readonly version: string;
  readonly bin: string;
  /** The major version of Node that the host needs, if it is newer than the one that Footbridge needs. */
  readonly node?: number;
  /**
   * Whether the host withholds the tools of all MCP servers, and their instructions, until its model searches for them. What its
   * model learns is then judged after that search.
   */
  readonly searchesFirst?: boolean;
  /** Offers an MCP tool under the tool's own name, without the name of the server. */
  readonly bareNames?: boolean;
  /** Skill folders that the host reads by itself. */
  readonly folders: readonly SkillFolder[];
  /** Settings in which the host is driven beside the ones it ships with. */
  readonly settings?: readonly Setting[];
  launch(surroundings: Surroundings): Launch;
}

/** Folders of the project and of the home that have the same path in both. */
export function inBoth(...paths: readonly string[]): SkillFolder[] {
  return [...inProject(...paths), ...inHome(...paths)];
}

export function inProject(...paths: readonly string[]): SkillFolder[] {
  return paths.map((path) => ({ root: 'project', path }));
}

export function inHome(...paths: readonly string[]): SkillFolder[] {
  return paths.map((path) => ({ root: 'home', path }));
}
