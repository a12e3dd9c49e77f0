/** Packs of the fixtures, and hosts by every route to a program that has loaded them. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { ENTRY } from './client.js';
import { type Era, Host, type HostOptions, http, type OpenWire, stdio } from './host.js';
import { launchHttp } from './http-server.js';
import { toOrder } from './to-order.js';

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'packs');
export const GARDEN = join(fixtures, 'garden.mjs');
export const THIEF = join(fixtures, 'thief.mjs');
export const GREETER = join(fixtures, 'greeter.mjs');

/** How a host connects to the program. */
export interface Route {
  readonly era: Era;
  readonly transport: 'stdio' | 'HTTP';
  /** Whether a server is wrapped as well. */
  readonly wrapped?: true;
  /** Whether the pack is named in footbridge.json. */
  readonly configured?: true;
}

export const ROUTES: readonly Route[] = [
  { era: 'legacy', transport: 'stdio' },
  { era: 'modern', transport: 'stdio' },
  { era: 'legacy', transport: 'HTTP' },
  { era: 'modern', transport: 'HTTP' },
  { era: 'legacy', transport: 'stdio', wrapped: true },
  { era: 'modern', transport: 'stdio', wrapped: true },
  { era: 'legacy', transport: 'HTTP', wrapped: true },
  { era: 'modern', transport: 'HTTP', wrapped: true },
  { era: 'legacy', transport: 'stdio', configured: true },
  { era: 'modern', transport: 'HTTP', configured: true },
];

export interface Destination {
  /** The default host, shared by all tests. */
  connect(options?: Pick<HostOptions, 'answers' | 'capabilities'>): Promise<Host>;
  /** What the pack has reported so far. */
  notes(): string[];
}

/** For the tests of a block, a program with the garden at the end of a route: over HTTP one for all hosts, over stdio one for each. */
export function useRoute({ configured, era, transport, wrapped }: Route): Destination {
  const ends: (() => unknown)[] = [];
  let folder = '';
  let open: () => OpenWire;
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'footbridge-packs-')));
    if (configured) writeFileSync(join(folder, 'footbridge.json'), JSON.stringify({ packs: [GARDEN] }));
    const { args, command } = toOrder({ tools: 1, uris: ['order://one'] });
    const given = [...(configured ? ['--config', 'footbridge.json'] : ['--pack', GARDEN]), ...(wrapped ? ['--', command, ...args] : [])];
    if (transport === 'stdio') open = () => stdio([ENTRY, wrapped ? 'wrap' : 'serve', ...given], folder);
    else {
      const places = { project: folder, home: folder };
      const { endpoint } = await launchHttp(places, { command: wrapped ? 'wrap' : 'serve', args: given }, (stop) => ends.push(stop));
      open = () => http(endpoint);
    }
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  let usual: Promise<Host> | undefined;
  const begin = async (options: Pick<HostOptions, 'answers' | 'capabilities'>) => {
    const host = await Host.connect({ era, open: open(), ...options });
    ends.push(() => host.close());
    return host;
  };
  return {
    connect(options) {
      if (options !== undefined) return begin(options);
      usual ??= begin({});
      return usual;
    },
    notes: () => notesIn(folder),
  };
}

/** What the garden reported in a working folder. */
export function notesIn(folder: string): string[] {
  const file = join(folder, 'notes');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
