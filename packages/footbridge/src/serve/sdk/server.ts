/**
 * The SDK's server over the catalog, for the methods that are left to the SDK: the handshake, `subscriptions/listen`, the Skills extension.
 */
import { McpServer, type ProtocolEra, type Transport } from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Catalog } from '../../catalog/catalog.js';
import type { Log } from '../../log.js';
import { skillSource } from '../../surfaces/skills-extension.js';
import { VERSION } from '../../version.js';
import type { Send } from '../dispatch/scope.js';
import type { EventFeed } from '../events.js';
import { announceChanges } from '../events.js';
import { notificationOf } from '../messages.js';
import { SdkPeer } from './peer.js';

export const SERVER_INFO = { name: 'footbridge', title: 'Footbridge', version: VERSION } as const;

export interface SdkServerOptions {
  readonly catalog: Catalog;
  /** Whether each skill is a prompt too. */
  readonly prompts: boolean;
  readonly log: Log;
}

export function createSdkServer({ catalog, log, prompts }: SdkServerOptions): McpServer {
  const mcp = new McpServer(SERVER_INFO);
  new SkillsExtension({
    source: skillSource(catalog),
    onWarning: (warning) => log.debug(`skills extension: ${warning.path}: ${warning.message}`),
  }).attach(mcp);
  mcp.server.registerCapabilities({
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
    // An upstream may add prompts later.
    ...(prompts || catalog.hasUpstreams ? { prompts: { listChanged: true } } : {}),
  });
  return mcp;
}

export interface SdkPeersOptions extends SdkServerOptions {
  /** Changes that subscribers of the modern era are notified of. */
  readonly events: EventFeed;
  readonly maxSubscriptions: number;
  /** Gets notifications that belong to no request. */
  readonly notify: Send;
}

/** The peers of one connection, or of all requests that have none: one for each era, made when it is needed. */
export class SdkPeers {
  readonly #options: SdkPeersOptions;
  readonly #peers = new Map<ProtocolEra, { readonly peer: SdkPeer; close(): Promise<void> }>();

  constructor(options: SdkPeersOptions) {
    this.#options = options;
  }

  readonly of = (era: ProtocolEra): SdkPeer => {
    let entry = this.#peers.get(era);
    if (entry === undefined) {
      entry = this.#open(era);
      this.#peers.set(era, entry);
    }
    return entry.peer;
  };

  /** Ends open subscriptions with their answers. */
  async close(): Promise<void> {
    const open = [...this.#peers.values()];
    this.#peers.clear();
    await Promise.all(open.map(({ close }) => close()));
  }

  #open(era: ProtocolEra): { readonly peer: SdkPeer; close(): Promise<void> } {
    const { events, log, maxSubscriptions, notify } = this.#options;
    let stop = () => {};
    let handle: { close(): Promise<void> } | undefined;
    const serve = (transport: Transport) => {
      handle = serveStdio(
        () => {
          const mcp = createSdkServer(this.#options);
          // In the legacy era the connection notifies its host itself.
          if (era === 'modern')
            stop = announceChanges(events, (method, params) => {
              mcp.server.transport?.send(notificationOf(method, params)).catch(() => {});
            });
          return mcp;
        },
        { transport, maxSubscriptions, onerror: (error) => log.debug(`protocol: ${error.message}`) },
      );
    };
    const peer = new SdkPeer(serve, notify);
    return {
      peer,
      async close() {
        stop();
        await handle?.close();
      },
    };
  }
}
