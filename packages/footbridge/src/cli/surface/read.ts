/** Reading all that a server offers, as a client that keeps every field. */
import { Client, METHOD_NOT_FOUND, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import * as z from 'zod/v4';
import { isFields } from '../../json.js';
import { VERSION } from '../../version.js';
import { canonicalList, type Entry, LISTS, type ListName, type Surface } from './canonical.js';
import { explained } from './explain.js';
import { SurfaceFailure } from './failure.js';
import type { Peer } from './peers.js';

/** The SDK's own schemas would take away the fields that they do not know. */
const ANYTHING = z.unknown();
/** More pages than this are a server that never comes to an end. */
const MOST_PAGES = 10_000;
/** How long to wait for a list that the server does not declare. */
const UNDECLARED_MS = 5000;

/** What is opened for each attempt to connect; the old one is ended first. */
type OpenPeer = () => Peer | Promise<Peer>;

/** The surface of a server; each answer may take `milliseconds`. When `interrupted` rejects, so does this, with all ended. */
export async function readSurface(open: OpenPeer, milliseconds: number, interrupted: Promise<never>): Promise<Surface> {
  const read = async (mode: 'legacy' | 'auto') => {
    const peer = await open();
    try {
      return await Promise.race([readPeer(peer, mode, milliseconds), interrupted]);
    } finally {
      await peer.end();
    }
  };
  // The older era first, which nearly every server has: so a server that learns the newer one still compares with itself.
  const surface = await read('legacy');
  if (!(surface instanceof NoLegacyEra)) return surface;
  const modern = await read('auto');
  if (modern instanceof NoLegacyEra) throw surface.failure;
  return modern;
}

/** The server answered, but does not want to be spoken to in the older era. */
class NoLegacyEra {
  constructor(readonly failure: SurfaceFailure) {}
}

async function readPeer(peer: Peer, mode: 'legacy' | 'auto', milliseconds: number): Promise<Surface | NoLegacyEra> {
  const client = new Client({ name: 'footbridge-surface', version: VERSION }, { versionNegotiation: { mode } });
  try {
    await client.connect(peer.transport, { timeout: milliseconds });
  } catch (error) {
    const failure = explained(error, mode === 'legacy' ? 'initialize' : 'server/discover', peer, milliseconds);
    if (error instanceof ProtocolError || (error instanceof SdkHttpError && error.status === 400)) return new NoLegacyEra(failure);
    throw failure;
  }
  const list = (name: ListName) => readList(client, peer, name, milliseconds);
  return {
    tools: await list('tools'),
    resources: await list('resources'),
    resourceTemplates: await list('resourceTemplates'),
    prompts: await list('prompts'),
  };
}

/** All pages of one list; empty where the server has none. Throws a SurfaceFailure. */
export async function readList(client: Client, peer: Peer, name: ListName, milliseconds: number): Promise<readonly Entry[]> {
  const { method, capability, key } = LISTS[name];
  const declared = client.getServerCapabilities()?.[capability] !== undefined;
  const timeout = declared ? milliseconds : Math.min(milliseconds, UNDECLARED_MS);
  const values: unknown[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    let result: unknown;
    try {
      result = await client.request(cursor === undefined ? { method } : { method, params: { cursor } }, ANYTHING, { timeout });
    } catch (error) {
      if (!declared || (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND && cursor === undefined)) return [];
      throw explained(error, method, peer, milliseconds);
    }
    const items = isFields(result) ? result[name] : undefined;
    const entries = Array.isArray(items) ? canonicalList(name, items) : undefined;
    if (entries === undefined) throw nonsense(`The answer to ${method} is not a list of ${name} that each have a ${key}.`);
    for (const entry of entries) values.push(entry.fields);
    // Some servers say the end with an empty text or with null.
    const next = isFields(result) ? result['nextCursor'] : undefined;
    if (typeof next !== 'string' || next === '') return canonicalList(name, values) ?? [];
    if (cursors.has(next) || cursors.size === MOST_PAGES) throw nonsense(`The pages of ${method} never come to an end.`);
    cursors.add(next);
    cursor = next;
  }
}

function nonsense(message: string): SurfaceFailure {
  return new SurfaceFailure(message, 'Correct the server: a host cannot make sense of this either.');
}
