/** Connections on a state folder, with a clock, for one or more processes. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONNECTION } from '../../src/jira/connection-store.js';
import { Connections, type ConnectionsOptions } from '../../src/jira/connections.js';
import { Vault } from '../../src/vault/vault.js';
import { newFolder } from './state-folder.js';

export const DAY = 24 * 60 * 60_000;

export async function newWorld() {
  const stateFolder = await newFolder();
  const key = randomBytes(32);
  const clock = { now: Date.parse('2025-02-03T04:05:06Z') };
  const process = (options: Partial<ConnectionsOptions> = {}) =>
    new Connections({ vault: new Vault({ stateFolder, key, schema: CONNECTION }), stateFolder, now: () => clock.now, ...options });
  return {
    stateFolder,
    clock,
    /** Creates the connections of another process. */
    process,
    connections: process(),
    /** The ciphertext of a connection, in hex. */
    sealedIn: async (id: string): Promise<string> =>
      JSON.parse(await readFile(join(stateFolder, 'connections', `${id}.sealed`), 'utf8')).sealed,
    /** The file names of the stored connections. */
    stored: async (): Promise<string[]> => {
      const names = await readdir(join(stateFolder, 'connections')).catch(() => []);
      return names.filter((name) => name.endsWith('.sealed'));
    },
  };
}
