/** Which era of the protocol a request belongs to, by the SDK's own rules. */
import type { IncomingHttpHeaders } from 'node:http';
import { classifyInboundRequest } from '@modelcontextprotocol/server';

export function isModern(method: string, headers: IncomingHttpHeaders, body: unknown): boolean {
  return classify(method, headers, body) === 'modern';
}

/** Whether an older client sent it, with or without a session. What is malformed belongs to the newer era, which has the words for it. */
export function isLegacy(method: string, headers: IncomingHttpHeaders, body: unknown): boolean {
  return classify(method, headers, body) === 'legacy';
}

function classify(httpMethod: string, headers: IncomingHttpHeaders, body: unknown) {
  const version = headers['mcp-protocol-version'];
  const method = headers['mcp-method'];
  const name = headers['mcp-name'];
  return classifyInboundRequest({
    httpMethod,
    ...(typeof version === 'string' ? { protocolVersionHeader: version } : {}),
    ...(typeof method === 'string' ? { mcpMethodHeader: method } : {}),
    ...(typeof name === 'string' ? { mcpNameHeader: name } : {}),
    body,
  }).kind;
}
