/** The servers of the configuration: each started or connected to as `footbridge` does it. */
import { setTimeout } from 'node:timers/promises';
import { type Log, leveled } from '../../log.js';
import { MODERN } from '../../sources/upstream/eras.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import { ManagedUpstream, START_MS } from '../../sources/upstream/upstream.js';
import { openerOf } from '../../sources/upstream/wires/index.js';
import type { Config } from '../config/index.js';
import type { Ending } from './ending.js';
import { createRemarks, type Finding, finding, type Section, troubleOf } from './finding.js';

export interface ServerReport {
  /** As it is configured. */
  readonly name: string;
  readonly reached: boolean;
  /** Until it had listed what it has, or was given up. */
  readonly ms: number;
  /** How it names itself. */
  readonly title?: string;
  readonly version?: string;
  readonly revision?: string;
  readonly tools?: number;
  readonly resources?: number;
  readonly templates?: number;
  readonly prompts?: number;
  readonly skills?: number;
}

/** How long a server that has greeted may take to list what it has. */
const LIST_MS = 5000;

/** All side by side. */
export async function checkServers({ mcpServers }: Config, ending: Ending): Promise<Section<readonly ServerReport[]>> {
  const checked = await Promise.all(Object.entries(mcpServers).map(([name, server]) => checkServer(name, server, ending)));
  return { data: checked.map(({ report }) => report), findings: checked.flatMap(({ found }) => found) };
}

async function checkServer(
  name: string,
  server: UpstreamServer,
  ending: Ending,
): Promise<{ readonly report: ServerReport; readonly found: readonly Finding[] }> {
  const given = 'command' in server ? Object.values(server.env ?? {}) : 'url' in server ? Object.values(server.headers ?? {}) : [];
  const remarks = createRemarks(given);
  const log = remarksOf(name, remarks.take);
  const upstream: ManagedUpstream = new ManagedUpstream({
    name,
    server,
    openWire: openerOf(server, { log, name, inherit: false, headersFor: (message) => upstream.headersFor(message) }),
    oneHost: false,
    memory: undefined,
    changed() {},
    updated() {},
    log,
  });
  ending.add(() => upstream.close());
  const start = performance.now();
  const limit = (server.startTimeoutMs ?? START_MS) + LIST_MS;
  try {
    await Promise.race([upstream.listed(), setTimeout(limit, undefined, { ref: false })]);
    const ms = Math.round(performance.now() - start);
    const { listing } = upstream;
    const reason =
      upstream.trouble ?? (listing === undefined ? `It greeted, but did not tell what it has within ${limit / 1000} s.` : undefined);
    if (listing === undefined || reason !== undefined) {
      const found = finding('error', `server-${troubleOf(reason ?? '')}`, `mcpServers.${name}`, reason ?? '', { details: remarks.last() });
      return { report: { name, reached: false, ms }, found: [found] };
    }
    const { handshake, era } = listing;
    const { name: title, version } = handshake.serverInfo;
    const revision = era === 'modern' ? MODERN : handshake.result['protocolVersion'];
    const report = {
      name,
      reached: true,
      ms,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof version === 'string' ? { version } : {}),
      ...(typeof revision === 'string' ? { revision } : {}),
      tools: listing.tools.length,
      resources: listing.resources.length,
      templates: listing.templates.length,
      prompts: listing.prompts.length,
      skills: upstream.skills([]).length,
    };
    return { report, found: [] };
  } finally {
    await upstream.close();
  }
}

/** A log that hands on what the server itself wrote, which is logged under its name. */
function remarksOf(name: string, take: (line: string) => void): Log {
  return leveled('info', (_level, message) => {
    if (message.startsWith(`${name}: `)) take(message.slice(name.length + 2));
  });
}
