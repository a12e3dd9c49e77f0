/** Hosts by the names that people give. */
import { nearest } from '../../catalog/near.js';
import { allHosts, findHost, type McpHost } from './registry.js';

/** Each once. Throws, with those that there are, where a name is wrong. */
export async function namedHosts(names: readonly string[]): Promise<readonly McpHost[]> {
  const hosts = new Map<string, McpHost>();
  for (const name of names) {
    const host = await findHost(name);
    if (host === undefined) throw new Error(await unknownHost(name));
    hosts.set(host.id, host);
  }
  return [...hosts.values()];
}

/** For people who have to name one. */
export async function hostList(): Promise<string> {
  return (await allHosts()).map(({ id }) => id).join(', ');
}

async function unknownHost(name: string): Promise<string> {
  const [near] = nearest(
    name,
    (await allHosts()).map(({ id }) => id),
  );
  return `Unknown host "${name}".${near === undefined ? '' : ` Did you mean ${near}?`} Known hosts: ${await hostList()}`;
}
