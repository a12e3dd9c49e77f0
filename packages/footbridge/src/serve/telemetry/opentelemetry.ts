/** Traces and metrics sent to a collector as OTLP over HTTP, by OpenTelemetry's SDK. */
import { setTimeout } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import type { ExportResult } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes, serviceInstanceIdDetector } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { reasonOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { VERSION } from '../../version.js';
import { observeOperations } from './operations.js';
import { shown } from './shown.js';
import type { Environment, Signals, Telemetry } from './tracing.js';

/** How long a collector is waited for, in milliseconds: sending must not hold up the end of the process. */
const PATIENCE = 2000;
const METRIC_INTERVAL = 60_000;

/** Starts to send these signals. */
export function openTelemetry({ traces, metrics }: Signals, env: Environment, log: Log): Telemetry {
  // What the SDK has to say of its settings is said while they are read; later failures are told by `failed`.
  const warn = (message: string) => log.warn(`OpenTelemetry: ${shown(message)}`);
  const hush = () => {};
  diag.setLogger(
    { error: warn, warn, info: hush, debug: hush, verbose: hush },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const failed = once((error: Error) =>
    log.warn(`OpenTelemetry: the collector cannot be reached (${shown(reasonOf(error))}); said only once.`),
  );
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'footbridge', 'service.version': VERSION }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
  const tracerProvider = traces
    ? new BasicTracerProvider({
        resource,
        spanProcessors: [new BatchSpanProcessor(telling(new OTLPTraceExporter(timeoutOf('TRACES', env)), failed))],
      })
    : undefined;
  const meterProvider = metrics
    ? new MeterProvider({
        resource,
        readers: [
          new PeriodicExportingMetricReader({
            exporter: telling(new OTLPMetricExporter(timeoutOf('METRICS', env)), failed),
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
      await Promise.race([sent, setTimeout(PATIENCE, undefined, { ref: false })]);
    },
  };
}

type Failed = (error: Error) => void;

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** The same exporter, with a word when something could not be sent. */
function telling<Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>, failed: Failed): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.error !== undefined) failed(result.error);
      done(result);
    });
  return exporter;
}

/** Ours, unless the environment sets one, which the SDK then reads. */
function timeoutOf(signal: 'TRACES' | 'METRICS', env: Environment): { timeoutMillis?: number } {
  const isSet = [`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`, 'OTEL_EXPORTER_OTLP_TIMEOUT'].some((name) => positive(env[name]) !== undefined);
  return isSet ? {} : { timeoutMillis: PATIENCE };
}

function positive(text: string | undefined): number | undefined {
  const number = Number(text);
  return number > 0 && Number.isFinite(number) ? number : undefined;
}

function once(tell: Failed): Failed {
  let told = false;
  return (error) => {
    if (!told) tell(error);
    told = true;
  };
}
