/** Requests over HTTP: messages of both eras, sessions and streams that are resumed, and every other path. */
import fc from 'fast-check';
import type { HttpCase, HttpRequest } from '../case.js';
import { isObject, raw, text, type Value } from '../value.js';
import { postedRequest } from './messages.js';
import { hostileValue, longText, oddText } from './values.js';

const ENVELOPE: Value = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const JSON_HEADERS = [
  ['content-type', 'application/json'],
  ['accept', 'application/json, text/event-stream'],
] as const;
const PATHS = [
  '/',
  '/mcp',
  '/sse',
  '/messages',
  '/healthz',
  '/readyz',
  '/metrics',
  '/page.js',
  '/api/catalog',
  '/api/search?q=git',
  '/api/skills/git',
  '/api/files?uri=skill://git/',
  '/.well-known/oauth-protected-resource/mcp',
  '/mcp/',
  '/mcp?x=1',
  '//mcp',
  '/../mcp',
  '/%2e%2e/outside/secret.txt',
  '*',
  'http://localhost/mcp',
] as const;
const HEADERS = [
  'host',
  'origin',
  'authorization',
  'accept',
  'content-type',
  'content-encoding',
  'last-event-id',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'x-request-id',
  'cookie',
  'range',
  'if-none-match',
  'if-modified-since',
  'expect',
  'traceparent',
  'forwarded',
  'x-forwarded-for',
  'te',
  'upgrade',
  'x-unknown',
] as const;

/** Answers that may be long. */
const LISTS: readonly { readonly method: string; readonly params: Value }[] = [
  { method: 'skills/list', params: {} },
  { method: 'tools/list', params: {} },
  { method: 'resources/list', params: {} },
  { method: 'resources/read', params: { uri: 'skill://long/large.md' } },
];
const PAGES: readonly HttpRequest[] = ['/api/catalog', '/page.js', '/api/search?words=git', '/metrics'].map((path) => ({
  method: 'GET',
  path,
  headers: [],
}));

/** Longer heads are refused by Node. */
const MAX_HEADER = 12_000;

const oddHeader = fc.tuple(fc.constantFrom(...HEADERS), fc.oneof(oddText, longText(MAX_HEADER)));

const posted: fc.Arbitrary<HttpRequest> = fc
  .record({ call: postedRequest, extra: fc.array(oddHeader, { maxLength: 1 }), session: fc.boolean() })
  .map(({ call: { era, method, params }, extra, session }) => {
    const given = era === 'modern' && isObject(params) && !('_meta' in params) ? { ...params, _meta: ENVELOPE } : params;
    const name = isObject(params) ? (params['name'] ?? params['uri']) : undefined;
    const named: [string, Value][] = typeof name === 'string' ? [['mcp-name', name]] : [];
    const own: [string, Value][] = era === 'modern' ? [['mcp-protocol-version', '2026-07-28'], ['mcp-method', method], ...named] : [];
    const headers = [...JSON_HEADERS, ...own, ...extra].filter(
      ([key], index, all) => all.findLastIndex(([other]) => other === key) === index,
    );
    return {
      method: 'POST',
      path: '/mcp',
      headers,
      body: { jsonrpc: '2.0', id: 1, method, params: given },
      session: session && era === 'legacy',
    };
  });

const odd: fc.Arbitrary<HttpRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'),
    path: fc.oneof(
      fc.constantFrom(...PATHS),
      fc.tuple(fc.constantFrom(...PATHS), fc.oneof(oddText, longText(MAX_HEADER))).map((parts) => text(...parts)),
    ),
    headers: fc.array(oddHeader, { maxLength: 3 }),
    body: fc.option(fc.oneof(hostileValue(1_000_000), longText(1_000_000).map(raw)), { nil: undefined }),
    session: fc.boolean(),
  })
  .map(({ body, method, ...rest }) => ({
    ...rest,
    method,
    ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
  }));

/** A stream of a session, resumed after an event that may not exist. */
const resumed: fc.Arbitrary<HttpRequest> = fc.oneof(oddText, fc.nat({ max: 10_000 }).map(String)).map((id) => ({
  method: 'GET',
  path: '/mcp',
  headers: [
    ['accept', 'text/event-stream'],
    ['last-event-id', id],
  ],
  session: true,
}));

/** Requests of the older era in one body. */
const batch: fc.Arbitrary<HttpRequest> = fc
  .record({
    calls: fc.array(fc.oneof(postedRequest, fc.constantFrom(...LISTS)), { minLength: 1, maxLength: 20 }),
    times: fc.integer({ min: 1, max: 5 }),
    unread: fc.boolean(),
  })
  .map(({ calls, times, unread }) => ({
    method: 'POST',
    path: '/mcp',
    headers: JSON_HEADERS,
    body: Array.from({ length: times }, () => calls)
      .flat()
      .map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })),
    unread,
  }));

/** Answers that are large, of which nothing is read. */
const unread: fc.Arbitrary<readonly HttpRequest[]> = fc
  .record({ request: fc.oneof(posted, fc.constantFrom<HttpRequest>(...PAGES)), times: fc.integer({ min: 1, max: 30 }) })
  .map(({ request, times }) => Array.from({ length: times }, () => ({ ...request, unread: true })));

/** Messages to a stream of the transport of 2024. */
const messages: fc.Arbitrary<readonly HttpRequest[]> = fc
  .record({
    call: fc.oneof(postedRequest, fc.constantFrom(...LISTS)),
    times: fc.integer({ min: 1, max: 30 }),
    unread: fc.boolean(),
  })
  .map(({ call: { method, params }, times, unread }) =>
    Array.from({ length: times }, (_, id) => ({
      method: 'POST',
      path: '/messages',
      headers: JSON_HEADERS,
      body: { jsonrpc: '2.0', id, method, params },
      sse: true,
      unread,
    })),
  );

const several: fc.Arbitrary<readonly HttpRequest[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: posted },
    { weight: 3, arbitrary: odd },
    { weight: 1, arbitrary: resumed },
    { weight: 1, arbitrary: batch },
  ),
  { minLength: 1, maxLength: 3 },
);

export const httpCase: fc.Arbitrary<HttpCase> = fc
  .oneof({ weight: 8, arbitrary: several }, { weight: 1, arbitrary: unread }, { weight: 1, arbitrary: messages })
  .map((requests) => ({ entry: 'http', requests }));
