/** Starting what a host would start, and speaking to it as a host does. */
import { Client } from '@modelcontextprotocol/client';
import { VERSION } from '../../version.js';
import type { Startable } from '../hosts/index.js';
import { ChildTransport } from '../surface/child-transport.js';
import { explained } from '../surface/explain.js';
import { SurfaceFailure } from '../surface/failure.js';
import { childPeer, type Peer, urlPeer } from '../surface/peers.js';
import { readList } from '../surface/read.js';
import type { Ending } from './ending.js';
import { createRemarks, type Remarks, shown, type Trouble, troubleOf } from './finding.js';
import type { Listed } from './seen.js';

export type Start =
  | {
      readonly ok: true;
      /** Until it had listed its tools. */
      readonly ms: number;
      /** How it names itself. */
      readonly name: string;
      readonly version: string;
      readonly revision: string;
      readonly listed: Listed;
      /** Why a server behind it is not available, where one is not. */
      readonly behind?: string;
    }
  | {
      readonly ok: false;
      readonly trouble: Trouble;
      readonly message: string;
      /** The Node that it says is too old. */
      readonly oldNode?: string;
      /** The last lines that it wrote. */
      readonly details: readonly string[];
    };

/** How long it may take to end by itself all that it has started. */
const FAREWELL_MS = 3000;

/** `folder` is where the host would start it. Each answer may take `milliseconds`. */
export async function start(server: Startable, folder: string, milliseconds: number, ending: Ending): Promise<Start> {
  const given = Object.values(server.kind === 'command' ? server.env : server.headers);
  const remarks = createRemarks(given);
  const { end, peer } = open(server, folder, remarks.take);
  ending.add(end);
  const client = new Client({ name: 'footbridge-doctor', version: VERSION }, { versionNegotiation: { mode: 'legacy' } });
  const began = performance.now();
  try {
    await client.connect(peer.transport, { timeout: milliseconds }).catch((error: unknown) => {
      throw explained(error, 'initialize', peer, milliseconds);
    });
    const tools = await readList(client, peer, 'tools', milliseconds);
    const ms = Math.round(performance.now() - began);
    const [resources, templates, prompts] = [
      await readList(client, peer, 'resources', milliseconds),
      await readList(client, peer, 'resourceTemplates', milliseconds),
      await readList(client, peer, 'prompts', milliseconds),
    ];
    const [behind] = said(remarks, /The server '.*?' is not available\. (.*)/);
    const { name = '', version = '' } = client.getServerVersion() ?? {};
    return {
      ok: true,
      ms,
      name,
      version,
      revision: client.getNegotiatedProtocolVersion() ?? '',
      listed: {
        tools: tools.map(({ key }) => key),
        uris: resources.map(({ key }) => key),
        templates: templates.map(({ key }) => key),
        prompts: prompts.map(({ key }) => key),
        taken: said(remarks, /A server has a tool '(\w+)' of its own/),
      },
      behind,
    };
  } catch (error) {
    if (!(error instanceof SurfaceFailure)) throw error;
    const message = shown(error.message, given);
    const [oldNode] = said(remarks, /Node ([\d.]+) is too old/);
    return {
      ok: false,
      trouble: troubleOf(message),
      message,
      oldNode,
      details: remarks.last(),
    };
  } finally {
    await end();
  }
}

/** What Footbridge itself has said of something, on another process's stderr. */
function said({ lines }: Remarks, sentence: RegExp): string[] {
  return lines.flatMap((line) => sentence.exec(line)?.[1] ?? []);
}

function open(server: Startable, folder: string, remark: (line: string) => void): { readonly peer: Peer; end(): Promise<void> } {
  if (server.kind === 'url') {
    const peer = urlPeer(new URL(server.url), server.headers);
    return { peer, end: () => peer.end() };
  }
  const { args, command, cwd = folder, env } = server;
  const transport = new ChildTransport(command, args, { env, cwd, remark });
  const peer = childPeer(transport);
  return {
    peer,
    async end() {
      await transport.leave(FAREWELL_MS);
      await peer.end();
    },
  };
}
