/** OpenTelemetry, loaded only when its environment variables enable it. */
import type { Log } from '../../log.js';
import type { Observer } from './observer.js';

export interface Telemetry {
  readonly observer: Observer;
  /** Flushes for at most 2 seconds. */
  close(): Promise<void>;
}

export interface Signals {
  readonly traces: boolean;
  readonly metrics: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined when `env` enables neither signal. The SDK reads its other settings from the process environment. */
export async function startTelemetry(env: Environment, log: Log): Promise<Telemetry | undefined> {
  const signals = signalsOf(env, log);
  if (!signals.traces && !signals.metrics) return undefined;
  const { openTelemetry } = await import('./opentelemetry.js');
  return openTelemetry(signals, env, log);
}

function signalsOf(env: Environment, log: Log): Signals {
  if (setting(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return { traces: false, metrics: false };
  const signals = { traces: isEnabled('TRACES', env, log), metrics: isEnabled('METRICS', env, log) };
  const protocol = setting(env, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  if ((signals.traces || signals.metrics) && protocol === 'grpc')
    log.warn('OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported. OTLP over HTTP is used, usually on port 4318.');
  return signals;
}

/** By its exporter if set, else by an endpoint. */
function isEnabled(signal: 'TRACES' | 'METRICS', env: Environment, log: Log): boolean {
  const exporter = setting(env, `OTEL_${signal}_EXPORTER`);
  if (exporter === undefined)
    return [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, 'OTEL_EXPORTER_OTLP_ENDPOINT'].some((name) => setting(env, name) !== undefined);
  const names = exporter.split(',').map((name) => name.trim());
  if (!names.every((name) => name === 'otlp' || name === 'none'))
    log.warn(`OTEL_${signal}_EXPORTER supports only otlp and none. Other exporters are ignored.`);
  return names.includes('otlp');
}

/** An empty variable counts as unset, as the OpenTelemetry specification requires. */
function setting(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
