/** Exports traces and metrics as OTLP over HTTP with OpenTelemetry's SDK. */
import { setTimeout } from 'node:timers/promises';
import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import {
  type Attributes,
  DiagLogLevel,
  diag,
  type Histogram,
  type Meter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';
import { CompositePropagator, type ExportResult, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes, serviceInstanceIdDetector } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { reasonOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { outgoingAgent } from '../../outgoing/agent.js';
import { TOOL_NAMES } from '../../surfaces/tools/index.js';
import { VERSION } from '../../version.js';
import { isLoopback } from '../http/addresses.js';
import { KNOWN_METHODS, type Observer, type Operation } from './observer.js';
import { safeText } from './safe-text.js';
import type { Environment, Signals, Telemetry } from './tracing.js';

/** In milliseconds. Short, so that an unreachable collector does not delay the shutdown. */
const EXPORT_TIMEOUT = 2000;
const METRIC_INTERVAL = 60_000;

export function openTelemetry({ traces, metrics }: Signals, env: Environment, log: Log): Telemetry {
  // The SDK reports invalid settings while it reads them; `reportFailure` reports what fails later.
  const warn = (message: string) => log.warn(`OpenTelemetry: ${safeText(message)}`);
  const ignore = () => {};
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  let reported = false;
  const reportFailure = (error: Error) => {
    if (!reported) log.warn(`OpenTelemetry: the collector is unreachable (${safeText(reasonOf(error))}). This warning is logged once.`);
    reported = true;
  };
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'footbridge', 'service.version': VERSION }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
  const tracerProvider = traces
    ? new BasicTracerProvider({
        resource,
        spanProcessors: [
          new BatchSpanProcessor(
            withReport(new OTLPTraceExporter({ ...timeoutOf('TRACES', env), ...agentOf('TRACES', env) }), reportFailure),
          ),
        ],
      })
    : undefined;
  const meterProvider = metrics
    ? new MeterProvider({
        resource,
        readers: [
          new PeriodicExportingMetricReader({
            exporter: withReport(new OTLPMetricExporter({ ...timeoutOf('METRICS', env), ...agentOf('METRICS', env) }), reportFailure),
            exportIntervalMillis: positive(env['OTEL_METRIC_EXPORT_INTERVAL']) ?? METRIC_INTERVAL,
          }),
        ],
      })
    : undefined;
  diag.disable();
  return {
    observer: observeOperations(tracerProvider?.getTracer('footbridge', VERSION), meterProvider?.getMeter('footbridge', VERSION)),
    async close() {
      const sent = Promise.allSettled([tracerProvider?.shutdown(), meterProvider?.shutdown()]);
      await Promise.race([sent, setTimeout(EXPORT_TIMEOUT, undefined, { ref: false })]);
    },
  };
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

function withReport<Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>, onFailure: (error: Error) => void): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.error !== undefined) onFailure(result.error);
      done(result);
    });
  return exporter;
}

/** Not set if the environment sets one, which the SDK reads itself. */
function timeoutOf(signal: 'TRACES' | 'METRICS', env: Environment): { timeoutMillis?: number } {
  const isSet = [`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`, 'OTEL_EXPORTER_OTLP_TIMEOUT'].some((name) => positive(env[name]) !== undefined);
  return isSet ? {} : { timeoutMillis: EXPORT_TIMEOUT };
}

/** The network settings of other requests, unless the collector is on this machine. */
function agentOf(signal: 'TRACES' | 'METRICS', env: Environment) {
  const address = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || env['OTEL_EXPORTER_OTLP_ENDPOINT'] || '';
  if (!URL.canParse(address) || isLoopback(new URL(address).hostname)) return {};
  return { httpAgentOptions: () => outgoingAgent(new URL(address), { keepAlive: true }) };
}

function positive(text: string | undefined): number | undefined {
  const number = Number(text);
  return number > 0 && Number.isFinite(number) ? number : undefined;
}

/** From the conventions, in seconds. */
const BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** For unknown values, by the conventions. */
const OTHER = '_OTHER';
/** Distinct names of tools, prompts and versions. */
const MAX_NAMES = 1000;
const MAX_META_LENGTH = 8192;

type Meta = Readonly<Record<string, unknown>>;

const propagator = new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] });
const metaGetter: TextMapGetter<Meta> = {
  keys: (meta) => Object.keys(meta),
  get(meta, key) {
    const value = meta[key];
    return typeof value === 'string' && value.length <= MAX_META_LENGTH ? value : undefined;
  },
};

/** Records requests as spans and durations, by OpenTelemetry's semantic conventions for MCP. */
function observeOperations(tracer: Tracer | undefined, meter: Meter | undefined): Observer {
  // Callers can invent names, so only those of successful requests become labels.
  const existing = new Set(TOOL_NAMES.map((name) => `tools/call ${name}`));
  const durations = meter === undefined ? undefined : createDurations(meter);
  return {
    begin(begun) {
      const began = performance.now();
      const target = begun.called ?? begun.target;
      const operation = { ...begun, target, protocolVersion: begun.protocolVersion ?? versionIn(begun.meta) };
      const method = KNOWN_METHODS.has(operation.method) ? operation.method : OTHER;
      const span = tracer?.startSpan(method, { kind: SpanKind.SERVER }, propagator.extract(ROOT_CONTEXT, operation.meta ?? {}, metaGetter));
      if (span?.isRecording() === true) span.setAttributes({ ...commonOf(operation, method), ...detailsOf(operation, method) });
      return ({ errorType }) => {
        const name = nameOf(operation, method);
        const version = `version ${operation.protocolVersion}`;
        if (errorType === undefined)
          for (const each of [name, version]) if (each !== undefined && existing.size < MAX_NAMES) existing.add(each);
        const exists = name !== undefined && existing.has(name);
        const failure = failureOf(errorType);
        if (span?.isRecording() === true) {
          if (exists) span.updateName(safeText(name));
          span.setAttributes(failure);
          if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span?.end();
        const protocolVersion = existing.has(version) ? operation.protocolVersion : undefined;
        const known = { ...operation, target: exists ? target : OTHER, protocolVersion };
        const attributes = { ...commonOf(known, method), ...failure };
        durations?.record((performance.now() - began) / 1000, attributes);
      };
    },
  };
}

function createDurations(meter: Meter): Histogram {
  return meter.createHistogram('mcp.server.operation.duration', {
    description:
      'MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent.',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
}

/** Since 2026-07-28 every request has its revision in `_meta`. */
function versionIn(meta: Meta | undefined): string | undefined {
  const version = meta?.[PROTOCOL_VERSION_META_KEY];
  return typeof version === 'string' ? version : undefined;
}

function nameOf({ target }: Operation, method: string): string | undefined {
  return target !== undefined && (method === 'tools/call' || method === 'prompts/get') ? `${method} ${target}` : undefined;
}

/** The attributes of both spans and durations. */
function commonOf({ transport, target, protocolVersion }: Operation, method: string): Attributes {
  return {
    'mcp.method.name': method,
    'network.transport': transport === 'stdio' ? 'pipe' : 'tcp',
    ...(protocolVersion === undefined ? {} : { 'mcp.protocol.version': safeText(protocolVersion) }),
    ...(method === 'tools/call' ? { 'gen_ai.operation.name': 'execute_tool' } : {}),
    ...(method === 'tools/call' && target !== undefined ? { 'gen_ai.tool.name': safeText(target) } : {}),
    ...(method === 'prompts/get' && target !== undefined ? { 'gen_ai.prompt.name': safeText(target) } : {}),
  };
}

/** The attributes of spans only. */
function detailsOf({ target, requestId, sessionId }: Operation, method: string): Attributes {
  return {
    ...(requestId === undefined ? {} : { 'jsonrpc.request.id': typeof requestId === 'number' ? String(requestId) : safeText(requestId) }),
    ...(sessionId === undefined ? {} : { 'mcp.session.id': safeText(sessionId) }),
    ...(ABOUT_RESOURCES.has(method) && target !== undefined ? { 'mcp.resource.uri': safeText(target) } : {}),
  };
}

const ABOUT_RESOURCES: ReadonlySet<string> = new Set([
  'resources/directory/read',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'skills/get',
]);

function failureOf(errorType: string | undefined): Attributes {
  if (errorType === undefined) return {};
  const type = /^[\w.-]{1,64}$/.test(errorType) ? errorType : OTHER;
  return { 'error.type': type, ...(/^-?\d+$/.test(type) ? { 'rpc.response.status_code': type } : {}) };
}
