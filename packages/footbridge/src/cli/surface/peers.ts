/** The servers whose surface can be read: one started by a command, one at a URL, and footbridge itself. */
import { setTimeout } from 'node:timers/promises';
import { InMemoryTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { createServer } from '../../serve/server.js';
import { ownServer } from '../config/index.js';
import type { Io } from '../io.js';
import { type CommonOptions, openCatalog } from '../options.js';
import { plain } from '../terminal.js';
import { ChildTransport } from './child-transport.js';
import { shortened } from './report.js';

/** How long a server may take to end its session. */
const FAREWELL_MS = 2000;

/** One connection to a server. */
export interface Peer {
  readonly transport: Transport;
  /** What is known of why there is no answer, as sentences. */
  trouble(): string;
  /** What to look at when there is none. */
  readonly advice: string;
  /** Ends the connection, and the server if it was started for it. */
  end(): Promise<void>;
}

export function commandPeer(command: string, args: readonly string[]): Peer {
  return childPeer(new ChildTransport(command, args));
}

/** A server that is started by the transport. */
export function childPeer(transport: ChildTransport): Peer {
  return {
    transport,
    trouble: () =>
      [
        ...(transport.outcome === undefined ? [] : [`It ended with ${transport.outcome}.`]),
        ...(transport.noise === undefined ? [] : [`Its stdout has what is no message: ${shortened(plain(transport.noise))}`]),
      ].join(' '),
    advice: 'Check that the command starts an MCP server on stdin and stdout; what it wrote to stderr is above.',
    end: () => transport.close(),
  };
}

export function urlPeer(url: URL, headers: Readonly<Record<string, string>> = {}): Peer {
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  return {
    transport,
    trouble: () => '',
    advice: 'Check that a Streamable HTTP server listens at this URL; its path is often /mcp.',
    async end() {
      // A server that forgets its session later does no harm.
      await Promise.race([transport.terminateSession().catch(() => {}), setTimeout(FAREWELL_MS, undefined, { ref: false })]);
      await transport.close();
    },
  };
}

export async function ownPeer(options: CommonOptions, io: Io): Promise<Peer> {
  const { catalog, log, config, end } = await openCatalog(options, { watch: false }, io);
  const [transport, far] = InMemoryTransport.createLinkedPair();
  const server = createServer({ catalog, log, prompts: options.prompts === true, announce: false, ...ownServer(config) });
  await server.connect(far);
  return {
    transport,
    trouble: () => '',
    advice: 'This is a fault of footbridge; please report it.',
    async end() {
      await server.close();
      await end();
    },
  };
}
