/** The only tool while no server behind us can be reached: a host shows an empty list as a healthy server without a reason. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { Snapshot, UpstreamOutage } from '../../catalog/snapshot.js';

export const UNAVAILABLE_TOOL = 'server_unavailable';

/** Characters of the reasons of all servers, which descriptions and instructions repeat. */
const MAX_REASONS = 1000;

/** Undefined while there is another tool to show, or no server has failed. `listed`: how many others there are. */
export function unavailableTool({ outages }: Snapshot, listed: number): Tool | undefined {
  if (listed > 0 || outages.length === 0) return undefined;
  return {
    name: UNAVAILABLE_TOOL,
    title: 'Server unavailable',
    description: `${outageText(outages)} Call this tool to see whether that is still so.`,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

/** What is wrong, and what happens next. */
export function outageText(outages: readonly UpstreamOutage[]): string {
  const reasons = outages.map(({ server, message }) => `The server '${server}' is not available: ${message}`).join(' ');
  const its = outages.length === 1 ? 'its' : 'their';
  return `${reasons.slice(0, MAX_REASONS)} Footbridge retries automatically; ${its} tools appear when it succeeds.`;
}

/** The state at the time of the call: the list that named the tool may be an older one. */
export function callUnavailable({ upstreams }: Snapshot): CallToolResult {
  const outages = outagesOf(upstreams);
  if (outages.length === 0) return { content: [{ type: 'text', text: 'The server is available again. List the tools again.' }] };
  return { content: [{ type: 'text', text: outageText(outages) }], isError: true };
}

function outagesOf(upstreams: Snapshot['upstreams']): readonly UpstreamOutage[] {
  return upstreams.flatMap(({ name, failure }) => (failure === undefined ? [] : [{ server: name, message: failure.message }]));
}
