/** Hosts of both eras in front of servers of both eras. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { ENTRY, type Json } from './client.js';
import { type Era, Host, type HostOptions, stdio } from './host.js';

export const COMBINATIONS: readonly { readonly host: Era; readonly server: Era }[] = [
  { host: 'legacy', server: 'legacy' },
  { host: 'legacy', server: 'modern' },
  { host: 'modern', server: 'legacy' },
  { host: 'modern', server: 'modern' },
];

/** A server of one era that uses every feature. */
export const SERVER = join(import.meta.dirname, '..', 'fixtures', 'server-crossing.mjs');

/** The answers of a host that supports every request. */
export const ANSWERS = {
  'sampling/createMessage': () => ({ role: 'assistant', model: 'test', content: { type: 'text', text: 'Paris' }, stopReason: 'endTurn' }),
  'elicitation/create': ({ mode, requestedSchema }: Json) =>
    mode === 'url'
      ? { action: 'accept' }
      : { action: 'accept', content: Object.fromEntries(Object.keys(requestedSchema.properties).map((field) => [field, `my ${field}`])) },
  'roots/list': () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }),
  'org.example/question': (params: Json) => ({ answered: params }),
};

export interface Ground {
  readonly folder: string;
  /** A host that is connected to the server directly. */
  direct(server: Era, options?: Partial<HostOptions>): ReturnType<typeof Host.connect>;
  /** A host of an era that is connected to a program. */
  start(era: Era, args: readonly string[], options?: Partial<HostOptions>): ReturnType<typeof Host.connect>;
  /** A host that is connected through `footbridge wrap`. */
  wrapped(combination: { readonly host: Era; readonly server: Era }, options?: Partial<HostOptions>): ReturnType<typeof Host.connect>;
  /** Ends every host, and removes the folder. */
  clear(): Promise<void>;
}

/** A temporary folder with hosts. */
export function createGround(): Ground {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'footbridge-')));
  const hosts: Host[] = [];
  const connect = async (era: Era, args: readonly string[], options: Partial<HostOptions> = {}) => {
    const host = await Host.connect({ era, open: stdio(args, folder), answers: ANSWERS, ...options });
    hosts.push(host);
    return host;
  };
  return {
    folder,
    start: connect,
    direct: (server, options) => connect(server, [SERVER, server], options),
    wrapped: ({ host, server }, options) => connect(host, [ENTRY, 'wrap', '--', process.execPath, SERVER, server], options),
    async clear() {
      await Promise.all(hosts.map((host) => host.close()));
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** An answer without the fields that its era adds. */
export function plain(answer: Json): Json {
  if (answer.result === undefined) return { error: answer.error };
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, _meta, ...result } = answer.result;
  const { [SERVER_INFO]: _info, ...meta } = _meta ?? {};
  return { result: Object.keys(meta).length === 0 ? result : { ...result, _meta: meta } };
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Registers a test only for eras that have the feature, so that none is reported as skipped. */
export function itWhere(holds: boolean): (name: string, test: () => Promise<void>) => void {
  return (name, test) => {
    if (holds) it(name, test);
  };
}
