/** Exports traces and metrics as OTLP over HTTP with OpenTelemetry's SDK. */
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
        spanProcessors: [new BatchSpanProcessor(withReport(new OTLPTraceExporter(timeoutOf('TRACES', env)), reportFailure))],
      })
    : undefined;
  const meterProvider = metrics
    ? new MeterProvider({
        resource,
        readers: [
          new PeriodicExportingMetricReader({
            exporter: withReport(new OTLPMetricExporter(timeoutOf('METRICS', env)), reportFailure),
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

/** The same exporter, which reports failed exports. */
function withReport<Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>, onFailure: (error: Error) => void): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.error !== undefined) onFailure(result.error);
      done(result);
    });
  return exporter;
}

/** Ours, unless the environment sets one, which the SDK reads itself. */
function timeoutOf(signal: 'TRACES' | 'METRICS', env: Environment): { timeoutMillis?: number } {
  const isSet = [`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`, 'OTEL_EXPORTER_OTLP_TIMEOUT'].some((name) => positive(env[name]) !== undefined);
  return isSet ? {} : { timeoutMillis: EXPORT_TIMEOUT };
}

function positive(text: string | undefined): number | undefined {
  const number = Number(text);
  return number > 0 && Number.isFinite(number) ? number : undefined;
}
