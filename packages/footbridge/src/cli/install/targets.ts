/** Which configuration files `install` and `uninstall` change. */
import { type HostPlace, hostList, hostPlace, type McpHost, namedHosts, presentPlaces } from '../hosts/index.js';
import { isHome } from '../hosts/registry.js';

export interface TargetOptions {
  /** Default: all installed hosts. */
  readonly host?: readonly string[];
  readonly global?: boolean;
}

export interface Targets {
  readonly places: readonly HostPlace[];
  /** Installed hosts without project configurations. */
  readonly globalOnly: readonly McpHost[];
}

/** Throws if a name is unknown or the scope unsupported. `present` returns the hosts used without names. */
export async function targetsOf(options: TargetOptions, folder: string, present: () => Promise<readonly McpHost[]>): Promise<Targets> {
  const scope = options.global === true ? 'global' : 'project';
  if (scope === 'project' && isHome(folder))
    throw new Error('This is your home folder, not a project. Change to a project folder, or use --global.');
  const named = await namedHosts(options.host ?? []);
  const wrong = scope === 'project' ? named.find(({ hasProject }) => !hasProject) : undefined;
  if (wrong !== undefined) throw new Error(`${wrong.title} has no project configuration. Use --global.`);
  const hosts = named.length > 0 ? named : await present();
  const places = await Promise.all(hosts.map((host) => hostPlace(host, scope, folder)));
  return {
    places: places.filter((place) => place !== undefined),
    globalOnly: scope === 'project' ? hosts.filter(({ hasProject }) => !hasProject) : [],
  };
}

/** Installed hosts; for a project also those with files in it. */
export async function presentHosts(folder: string, isGlobal: boolean): Promise<readonly McpHost[]> {
  const places = (await presentPlaces(folder)).filter(({ scope }) => !isGlobal || scope === 'global');
  return [...new Map(places.map(({ host }) => [host.id, host])).values()];
}

export async function nothingFound({ globalOnly }: Targets): Promise<string> {
  const list = `Name one with --host NAME: ${await hostList()}`;
  return globalOnly.length > 0
    ? `The installed hosts have no project configuration: ${globalOnly.map(({ title }) => title).join(', ')}. Use --global. ${list}`
    : `No installed MCP host was found. ${list}`;
}
