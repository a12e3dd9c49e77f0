/** The rules of 2026-07-28 for a POST, which the SDK checks. Requests that are known to be valid skip its check. */
import type { IncomingHttpHeaders } from 'node:http';
import { createMcpHandler, type JSONRPCRequest, type McpHttpHandler, McpServer } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import { asText, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { MODERN } from '../../sources/upstream/eras.js';
import { headerParameters } from '../../sources/upstream/header-parameters.js';
import { NAMED_BY } from '../../sources/upstream/transports/http-headers.js';
import { isKnownEnvelope, rememberEnvelope } from '../eras.js';
import { SERVER_INFO } from '../sdk/server.js';

/** The answer of the gate. */
export interface GateAnswer {
  readonly status: number;
  /** Without those that describe the content. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class ModernGate {
  readonly #catalog: Catalog;
  readonly #handler: McpHttpHandler;
  /** Requests that passed the SDK's checks. */
  readonly #passed = new WeakSet<Request>();

  constructor(catalog: Catalog, log: Log) {
    this.#catalog = catalog;
    this.#handler = createMcpHandler(({ requestInfo }) => this.#accepting(requestInfo), {
      legacy: 'reject',
      onerror: (error) => log.debug(`protocol: ${error.message}`),
    });
  }

  /**
   * Undefined for a request that may be dispatched; else the answer to send. Notifications are acknowledged here, and otherwise ignored.
   */
  check(headers: IncomingHttpHeaders, body: unknown): Promise<GateAnswer | undefined> | undefined {
    return isRequestBody(body) && this.#isPlain(headers, body) ? undefined : this.#ask(headers, body);
  }

  async #ask(headers: IncomingHttpHeaders, body: unknown): Promise<GateAnswer | undefined> {
    const request = requestOf(headers);
    const response = await this.#handler.fetch(request, { parsedBody: body });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    const isPassed = this.#passed.has(request) || isStream || (response.status === 200 && headers['mcp-method'] === 'server/discover');
    if (!isPassed) return { status: response.status, headers: besidesContent(response.headers), body: text };
    if (isRequestBody(body)) rememberEnvelope(body);
    return undefined;
  }

  /** The server behind the SDK's checks, which reject invalid requests. */
  #accepting(request: Request | undefined): McpServer {
    const mcp = new McpServer(SERVER_INFO);
    mcp.server.fallbackRequestHandler = async () => {
      if (request !== undefined) this.#passed.add(request);
      return {};
    };
    mcp.toolInputSchemaJson = (name) => this.#catalog.snapshot.findTool(name)?.entry.inputSchema;
    return mcp;
  }

  #isPlain(headers: IncomingHttpHeaders, request: JSONRPCRequest): boolean {
    const { method, params } = request;
    if (headers['mcp-protocol-version'] !== MODERN || headers['mcp-method'] !== method) return false;
    const named = NAMED_BY[method];
    if (named !== undefined && (typeof params?.[named] !== 'string' || headers['mcp-name'] !== params[named])) return false;
    if (!isKnownEnvelope(request)) return false;
    if (method !== 'tools/call' || !this.#catalog.hasUpstreams) return true;
    const schema = this.#catalog.snapshot.findTool(asText(params?.['name']))?.entry.inputSchema;
    return schema === undefined || headerParameters(schema).length === 0;
  }
}

function isRequestBody(body: unknown): body is JSONRPCRequest {
  return isFields(body) && typeof body['method'] === 'string' && body['id'] !== undefined;
}

/** Without the headers that every JSON answer has. */
function besidesContent(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name !== 'content-type' && name !== 'content-length'));
}

/** The request as the SDK expects it; the parsed body is passed separately. */
function requestOf(headers: IncomingHttpHeaders): Request {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name.startsWith(':') ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  );
  return new Request('http://localhost/mcp', { method: 'POST', headers: entries });
}
