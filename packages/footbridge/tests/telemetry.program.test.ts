/** Telemetry: what a collector, Prometheus and the log receive about requests. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '../src/log.js';
import { createMetrics } from '../src/serve/telemetry/metrics.js';
import type { Observer, Operation } from '../src/serve/telemetry/observer.js';
import { combineObservers } from '../src/serve/telemetry/observer.js';
import { createRequestLog, type RequestEntry } from '../src/serve/telemetry/request-log.js';
import { startTelemetry } from '../src/serve/telemetry/tracing.js';
import { VERSION } from '../src/version.js';
import { addressOf, attributesOf, startCollector } from './support/collector.js';
import { createWorld } from './support/folders.js';
import { post, postModern, startHttp } from './support/http-server.js';
import { useSources } from './support/start.js';
import { soon } from './support/to-order.js';

useSources();

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';

const toolCall: Operation = { transport: 'http', method: 'tools/call', target: 'skill' };

afterEach(() => vi.unstubAllEnvs());

describe('OpenTelemetry', () => {
  it('sends a span for each request in the trace of its _meta', async () => {
    const collector = await startCollector();
    const { observer, close } = await telemetryTo(collector.url);
    observer.begin({
      ...toolCall,
      requestId: 7,
      protocolVersion: '2025-11-25',
      sessionId: 'session-1',
      meta: { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=value', baggage: 'user=alice' },
    })({});
    await close();
    const [span] = collector.spans();
    expect(span).toMatchObject({ name: 'tools/call skill', kind: 2, traceId: TRACE, parentSpanId: PARENT, traceState: 'vendor=value' });
    expect(attributesOf(span)).toEqual({
      'mcp.method.name': 'tools/call',
      'network.transport': 'tcp',
      'mcp.protocol.version': '2025-11-25',
      'mcp.session.id': 'session-1',
      'jsonrpc.request.id': '7',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'skill',
    });
    expect(span.status.code).toBe(0);
  });

  it('starts a new trace if _meta has none or an invalid one', async () => {
    const collector = await startCollector();
    const { observer, close } = await telemetryTo(collector.url);
    for (const meta of [
      undefined,
      {},
      { traceparent: 'nonsense' },
      { traceparent: 5 },
      { traceparent: { a: 1 }, baggage: 'x'.repeat(100_000) },
    ])
      observer.begin({ ...toolCall, meta })({});
    await close();
    expect(collector.spans()).toHaveLength(5);
    for (const span of collector.spans()) expect(span.parentSpanId).toBeUndefined();
  });

  it('respects the sampling decision of the caller', async () => {
    const collector = await startCollector();
    const { observer, close } = await telemetryTo(collector.url);
    observer.begin({ ...toolCall, meta: { traceparent: `00-${TRACE}-${PARENT}-00` } })({});
    await close();
    expect(collector.spans()).toEqual([]);
  });

  it('records the error type of a failed request', async () => {
    const collector = await startCollector();
    const { observer, close } = await telemetryTo(collector.url);
    observer.begin(toolCall)({ errorType: 'tool_error' });
    observer.begin(toolCall)({ errorType: '-32602' });
    await close();
    const [tool, protocol] = collector.spans();
    expect(tool.status.code).toBe(2);
    expect(attributesOf(tool)).toMatchObject({ 'error.type': 'tool_error' });
    expect(attributesOf(tool)).not.toHaveProperty('rpc.response.status_code');
    expect(attributesOf(protocol)).toMatchObject({ 'error.type': '-32602', 'rpc.response.status_code': '-32602' });
  });

  it('puts a resource URI only into an attribute, without secrets', async () => {
    const collector = await startCollector();
    const { observer, close } = await telemetryTo(collector.url);
    observer.begin({ transport: 'stdio', method: 'resources/read', target: `docs://a?token=${SECRET}` })({});
    await close();
    const [span] = collector.spans();
    expect(span.name).toBe('resources/read');
    expect(attributesOf(span)).toMatchObject({
      'network.transport': 'pipe',
      'mcp.resource.uri': expect.stringContaining('docs://a?token=['),
    });
    expect(collector.everything()).not.toContain(SECRET);
  });

  it('uses only names of existing tools and prompts as labels', async () => {
    const collector = await startCollector();
    const { observer, close } = await telemetryTo(collector.url);
    observer.begin({ transport: 'http', method: 'invented/method' })({ errorType: '-32601' });
    observer.begin({ ...toolCall, target: 'invented', protocolVersion: 'invented' })({ errorType: '-32602' });
    observer.begin({ ...toolCall, target: 'upstream__search', protocolVersion: '2025-11-25' })({});
    observer.begin({ ...toolCall, target: 'upstream__search' })({ errorType: 'tool_error' });
    observer.begin({ transport: 'http', method: 'prompts/get', target: 'review' })({});
    observer.begin({ ...toolCall, target: 'call_tool', called: 'upstream__read' })({});
    await close();
    expect(collector.spans().map(({ name }) => name)).toEqual([
      '_OTHER',
      'tools/call',
      'tools/call upstream__search',
      'tools/call upstream__search',
      'prompts/get review',
      'tools/call upstream__read',
    ]);
    const points = collector.durations().dataPoints.map(attributesOf);
    expect(points).toContainEqual(expect.objectContaining({ 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': '_OTHER' }));
    expect(points).toContainEqual(expect.objectContaining({ 'gen_ai.tool.name': 'upstream__search', 'error.type': 'tool_error' }));
    expect(points).toContainEqual(expect.objectContaining({ 'gen_ai.prompt.name': 'review' }));
    expect(points).toContainEqual(expect.objectContaining({ 'mcp.protocol.version': '2025-11-25' }));
    expect(JSON.stringify(points)).not.toContain('invented');
  });

  it('sends durations in seconds with the buckets of the conventions', async () => {
    const collector = await startCollector();
    const { observer, close } = await telemetryTo(collector.url);
    observer.begin({ ...toolCall, requestId: 'one', sessionId: 'two' })({});
    observer.begin({ ...toolCall, requestId: 'three', sessionId: 'four' })({});
    await close();
    const { unit, dataPoints } = collector.durations();
    expect(unit).toBe('s');
    expect(dataPoints).toHaveLength(1);
    expect(dataPoints[0]).toMatchObject({ count: 2, explicitBounds: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] });
    expect(attributesOf(dataPoints[0])).toEqual({
      'mcp.method.name': 'tools/call',
      'network.transport': 'tcp',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'skill',
    });
  });

  it('uses the service name footbridge unless the environment sets another', async () => {
    const collector = await startCollector();
    const plain = await telemetryTo(collector.url);
    plain.observer.begin(toolCall)({});
    await plain.close();
    const named = await telemetryTo(collector.url, {
      OTEL_SERVICE_NAME: 'bridge',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    named.observer.begin(toolCall)({});
    await named.close();
    const [first, second] = collector.resources();
    expect(first).toMatchObject({ 'service.name': 'footbridge', 'service.version': VERSION, 'service.instance.id': expect.any(String) });
    expect(second).toMatchObject({ 'service.name': 'bridge', 'deployment.environment.name': 'test' });
  });

  it.each([
    [{ OTEL_TRACES_EXPORTER: 'none' }, ['/v1/metrics']],
    [{ OTEL_METRICS_EXPORTER: 'none' }, ['/v1/traces']],
    [{ OTEL_TRACES_EXPORTER: 'console' }, ['/v1/metrics']],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, ['/v1/metrics', '/v1/traces']],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, ['/v1/metrics']],
  ])('with %j sends to %j', async (env, paths) => {
    const collector = await startCollector();
    const { observer, close } = await telemetryTo(collector.url, env);
    observer.begin(toolCall)({});
    await close();
    expect(collector.paths().sort()).toEqual(paths);
  });

  it.each([
    {},
    { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
    { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_SERVICE_NAME: 'footbridge' },
  ])('does not load with %j', async (env) => {
    expect(await modulesLoaded(env)).toEqual([]);
  });

  it('loads when enabled', async () => {
    expect(await modulesLoaded({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' })).not.toEqual([]);
  });

  it('warns once about an unreachable collector, and exits', async () => {
    const collector = await startCollector();
    await collector.stop();
    const lines: string[] = [];
    const { observer, close } = await telemetryTo(collector.url, {}, lines);
    observer.begin(toolCall)({});
    await close();
    await vi.waitFor(() => expect(lines).not.toEqual([]), soon);
    expect(lines).toEqual([expect.stringMatching(/collector is unreachable.*ECONNREFUSED/)]);
  });

  it('does not wait for a collector that never responds', async () => {
    const server = createServer(() => {});
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close().closeAllConnections());
    const { observer, close } = await telemetryTo(addressOf(server), { OTEL_EXPORTER_OTLP_TIMEOUT: '600000' });
    observer.begin(toolCall)({});
    await close();
  });

  it('warns about an unsupported setting', async () => {
    const collector = await startCollector();
    const lines: string[] = [];
    const { close } = await telemetryTo(collector.url, { OTEL_TRACES_SAMPLER: 'sometimes', OTEL_METRICS_EXPORTER: 'console' }, lines);
    await close();
    expect(lines).toEqual([
      expect.stringContaining('OTEL_METRICS_EXPORTER supports only otlp and none'),
      expect.stringContaining('OTEL_TRACES_SAMPLER value "sometimes" invalid'),
    ]);
  });
});

describe('metrics', () => {
  it('count requests by method and outcome, and unknown methods as other', async () => {
    const { observer, text } = createMetrics();
    observer.begin(toolCall)({});
    observer.begin(toolCall)({ errorType: 'tool_error' });
    observer.begin({ transport: 'http', method: 'resources/read', target: 'docs://a' })({ errorType: '-32002' });
    observer.begin({ transport: 'http', method: 'evil"}\nfootbridge_skills 1000' })({ errorType: '-32601' });
    const samples = parse(await text());
    expect(samples.get('footbridge_requests_total{method="tools/call",outcome="ok"}')).toBe(1);
    expect(samples.get('footbridge_requests_total{method="tools/call",outcome="tool_error"}')).toBe(1);
    expect(samples.get('footbridge_requests_total{method="resources/read",outcome="error"}')).toBe(1);
    expect(samples.get('footbridge_requests_total{method="other",outcome="error"}')).toBe(1);
    expect([...samples.keys()].filter((name) => name.includes('evil'))).toEqual([]);
  });

  it('count calls of built-in tools by name, and all others as other', async () => {
    const { observer, text } = createMetrics();
    observer.begin(toolCall)({});
    observer.begin({ ...toolCall, target: 'invented' })({ errorType: '-32602' });
    observer.begin({ ...toolCall, target: undefined })({ errorType: '-32602' });
    const samples = parse(await text());
    expect(samples.get('footbridge_tool_calls_total{tool="skill",outcome="ok"}')).toBe(1);
    expect(samples.get('footbridge_tool_calls_total{tool="other",outcome="error"}')).toBe(2);
  });

  it('have a histogram of durations with cumulative buckets', async () => {
    const { observer, text } = createMetrics();
    for (let count = 0; count < 3; count++) observer.begin(toolCall)({});
    const samples = parse(await text());
    const buckets = [...samples].filter(([name]) => name.startsWith('footbridge_request_duration_seconds_bucket'));
    const sizes = buckets.map(([, size]) => size);
    expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
    expect(samples.get('footbridge_request_duration_seconds_bucket{le="+Inf",method="tools/call"}')).toBe(3);
    expect(samples.get('footbridge_request_duration_seconds_count{method="tools/call"}')).toBe(3);
    expect(samples.get('footbridge_request_duration_seconds_sum{method="tools/call"}')).toBeGreaterThan(0);
  });

  it('describe each family once, with a type', async () => {
    const { text, contentType } = createMetrics();
    const families = [...(await text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
    expect(new Set(families.map(([name]) => name)).size).toBe(families.length);
    expect(Object.fromEntries(families)).toMatchObject({
      footbridge_request_duration_seconds: 'histogram',
      footbridge_requests_total: 'counter',
      footbridge_sessions: 'gauge',
      process_resident_memory_bytes: 'gauge',
    });
    expect(contentType).toContain('text/plain');
  });

  it('count answers by status and refusals by reason', async () => {
    const { http, refused, text } = createMetrics();
    http(200);
    http(200);
    http(429);
    refused('rate');
    const samples = parse(await text());
    expect(samples.get('footbridge_http_requests_total{status="200"}')).toBe(2);
    expect(samples.get('footbridge_http_requests_total{status="429"}')).toBe(1);
    expect(samples.get('footbridge_refused_total{reason="rate"}')).toBe(1);
    expect(samples.get('footbridge_refused_total{reason="token"}')).toBe(0);
  });

  it('read watched values when collected, and omit unknown ones', async () => {
    const { watch, text } = createMetrics();
    expect(parse(await text()).has('footbridge_sessions')).toBe(false);
    let sessions = 1;
    const none = { reads: 0, failures: 0, bytes: 0, milliseconds: 0 };
    const kinds = { static: none, template: none };
    watch({ sessions: () => sessions, streams: () => 4, sharedUp: () => undefined });
    watch({
      skills: () => 2,
      resources: () => 3,
      upstreams: () => [
        { name: 'good', failure: undefined, isRunning: true },
        { name: 'bad', isRunning: false, failure: { kind: 'auth', message: 'HTTP 401' } },
      ],
      counters: () => ({ tool: { ...kinds, static: { ...none, reads: 5, failures: 2 } }, resource: kinds }),
    });
    const before = parse(await text());
    expect(before.get('footbridge_sessions')).toBe(1);
    expect(before.get('footbridge_streams')).toBe(4);
    expect(before.get('footbridge_skills')).toBe(2);
    expect(before.get('footbridge_resources')).toBe(3);
    expect(before.get('footbridge_upstream_up{server="good"}')).toBe(1);
    expect(before.get('footbridge_upstream_up{server="bad"}')).toBe(0);
    expect(before.get('footbridge_upstream_failures{server="bad",kind="auth"}')).toBe(1);
    expect(before.has('footbridge_shared_state_up')).toBe(false);
    expect(before.get('footbridge_reads_total{route="tool",kind="static",outcome="ok"}')).toBe(3);
    expect(before.get('footbridge_reads_total{route="tool",kind="static",outcome="error"}')).toBe(2);
    sessions = 9;
    watch({ sharedUp: () => false });
    const after = parse(await text());
    expect(after.get('footbridge_sessions')).toBe(9);
    expect(after.get('footbridge_shared_state_up')).toBe(0);
    expect(after.get(`footbridge_build_info{version="${VERSION}"}`)).toBe(1);
  });
});

describe('the request log', () => {
  const entry: RequestEntry = {
    id: '0b9d7f2e-6a55-4c7e-9a53-1a2b3c4d5e6f',
    method: 'POST',
    path: '/mcp',
    status: 200,
    milliseconds: 1.23456,
    caller: 'build-agent',
    mcpMethod: 'tools/call',
    target: 'skill',
  };

  it('is a line of JSON for each request', () => {
    const { lines, log } = jsonLog('info');
    log.request(entry);
    log.request({ ...entry, path: '/skills/pdf/SKILL.md', caller: undefined });
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: expect.any(String),
      ...entry,
      milliseconds: 1.23,
      message: 'request',
    });
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ path: '/skills/pdf/SKILL.md' });
  });

  it.each(['text', 'json'] as const)('as %s never shows a secret, a query or a control character', (format) => {
    const lines: string[] = [];
    const log = createRequestLog('info', { format, destination: { write: (line) => lines.push(line) } });
    const hostile = `a\u0000\u001b[31m\n\u009b\u2028forged {"level":"error"} ${SECRET}`;
    log.request({
      ...entry,
      id: hostile,
      path: `/mcp/${SECRET}/${hostile}?access_token=plain`,
      caller: hostile,
      target: hostile,
      mcpMethod: hostile,
    });
    log.request({ ...entry, target: `docs://a?token=${SECRET}` });
    log.warn('one\nline \u001b[31m');
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line).toMatch(/^[^\p{Cc}\p{Zl}]+\n$/u);
      expect(line).not.toMatch(/ghp_|access_token|\\u/);
    }
  });

  it('truncates long paths', () => {
    const { lines, log } = jsonLog('info');
    log.request({ ...entry, path: '/a'.repeat(5000) });
    expect(JSON.parse(lines[0] ?? '').path).toBe('/a/a/a/a/a/a/a/…');
  });

  it('logs probes at debug, and no requests above info', () => {
    const info = jsonLog('info');
    const debug = jsonLog('debug');
    const warn = jsonLog('warn');
    for (const { log } of [info, debug, warn])
      for (const path of ['/healthz', '/readyz?verbose', '/metrics', '/mcp']) log.request({ ...entry, path });
    expect(info.lines.map((line) => JSON.parse(line).path)).toEqual(['/mcp']);
    expect(debug.lines.map((line) => JSON.parse(line).level)).toEqual(['debug', 'debug', 'debug', 'info']);
    expect(warn.lines).toEqual([]);
  });

  it('writes other messages too', () => {
    const { lines, log } = jsonLog('warn');
    log.error('first');
    log.warn('second');
    log.info('third');
    log.debug('fourth');
    expect(lines.map((line) => JSON.parse(line)).map(({ level, message }) => [level, message])).toEqual([
      ['error', 'first'],
      ['warn', 'second'],
    ]);
    expect(log.debugs).toBe(false);
    expect(jsonLog('debug').log.debugs).toBe(true);
  });

  it('writes a readable line as text', () => {
    const lines: string[] = [];
    createRequestLog('info', { format: 'text', destination: { write: (line) => lines.push(line) } }).request(entry);
    expect(lines).toEqual([`footbridge info: POST /mcp 200 tools/call skill 1.23 ms by build-agent (${entry.id})\n`]);
  });

  it('writes JSON to stderr unless it is a terminal, however the process ends', async () => {
    for (const end of ['', 'process.exit(0);', 'throw new Error("fatal");', 'setTimeout(() => { throw new Error("fatal"); });']) {
      const script = `import { createRequestLog } from '${distribution('request-log.js')}';
        createRequestLog('info').request(${JSON.stringify(entry)});
        ${end}`;
      const stderr = await new Promise<string>((resolve) => {
        execFile(process.execPath, ['--input-type=module', '--eval', script], (_error, _stdout, text) => resolve(text));
      });
      const [line = '', ...more] = stderr.split('\n').filter((each) => each.startsWith('{'));
      expect(JSON.parse(line)).toMatchObject({ path: '/mcp', status: 200 });
      expect(more).toEqual([]);
    }
  });
});

it('combined observers each get the start and the end', () => {
  const seen: string[] = [];
  const observer = (name: string): Observer => ({
    begin({ method }) {
      seen.push(`${name} begins ${method}`);
      return ({ errorType }) => void seen.push(`${name} ends ${errorType ?? 'well'}`);
    },
  });
  const only = observer('only');
  expect(combineObservers([only])).toBe(only);
  combineObservers([]).begin(toolCall)({});
  combineObservers([observer('first'), observer('second')]).begin(toolCall)({ errorType: 'tool_error' });
  expect(seen).toEqual(['first begins tools/call', 'second begins tools/call', 'first ends tool_error', 'second ends tool_error']);
});

it('the server reports every method to the observer, with the protocol version', async () => {
  const collector = await startCollector();
  const server = await startHttp(createWorld(), { env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` } });
  const opening = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { headers } = await post(server.endpoint, { jsonrpc: '2.0', id: 1, method: 'initialize', params: opening });
  const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-06-18' };
  for (const method of ['tools/list', 'prompts/list', 'ping'])
    await post(server.endpoint, { jsonrpc: '2.0', id: 2, method, params: {} }, session);
  for (const method of ['server/discover', 'tools/list', 'skills/list', 'skills/get', 'resources/directory/read'])
    await postModern(server.endpoint, method, { uri: 'skill://none/SKILL.md' });
  await server.stop();
  const seen = collector.spans().map((span) => {
    const attributes = attributesOf(span);
    return `${attributes['mcp.protocol.version']} ${attributes['mcp.method.name']}`;
  });
  expect(seen.sort()).toEqual([
    '2025-06-18 ping',
    '2025-06-18 prompts/list',
    '2025-06-18 tools/list',
    '2026-07-28 resources/directory/read',
    '2026-07-28 server/discover',
    '2026-07-28 skills/get',
    '2026-07-28 skills/list',
    '2026-07-28 tools/list',
    'undefined initialize',
  ]);
});

/** Telemetry to `url`, set up through the environment as it is in earnest; its warnings go to `lines`. */
async function telemetryTo(url: string, env: Readonly<Record<string, string>> = {}, lines: string[] = []) {
  vi.unstubAllEnvs();
  for (const [name, value] of Object.entries({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env })) vi.stubEnv(name, value);
  const telemetry = await startTelemetry(
    process.env,
    createLog('warn', (line) => void lines.push(line)),
  );
  if (telemetry === undefined) throw new Error('Telemetry did not start.');
  return telemetry;
}

/** Which modules of OpenTelemetry a process has loaded once telemetry had its chance to start; it ends by itself. */
async function modulesLoaded(env: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  const script = `import { createRequire } from 'node:module';
    import { startTelemetry } from '${distribution('tracing.js')}';
    import { silentLog } from '${distribution('../../log.js')}';
    const telemetry = await startTelemetry(process.env, silentLog);
    const { cache } = createRequire('${distribution('tracing.js')}');
    console.log(JSON.stringify(Object.keys(cache).filter((file) => file.includes('@opentelemetry'))));
    await telemetry?.close();`;
  const { PATH, SystemRoot } = process.env;
  const options = { env: { PATH, SystemRoot, ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], options);
  return JSON.parse(stdout);
}

function distribution(file: string): string {
  return pathToFileURL(join(import.meta.dirname, '..', 'dist', 'serve', 'telemetry', file)).href;
}

/** Each sample of an exposition, refusing what is none. */
function parse(text: string): Map<string, number> {
  const label = '[a-z_]+="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
  const sample = new RegExp(`^([a-z_:][a-z0-9_:]*(?:\\{${label}(?:,${label})*\\})?) (\\S+)$`, 'i');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', value] = sample.exec(line) ?? [];
      if (name === '') throw new Error(`No sample: ${line}`);
      return [name, Number(value)];
    }),
  );
}

function jsonLog(level: 'warn' | 'info' | 'debug') {
  const lines: string[] = [];
  return { lines, log: createRequestLog(level, { format: 'json', destination: { write: (line) => lines.push(line) } }) };
}
