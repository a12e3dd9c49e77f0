/** OpenTelemetry, for whoever asks for it by its environment variables; nothing of it is loaded otherwise. */
import type { Log } from '../../log.js';
import type { Observer } from '../observer.js';

export interface Telemetry {
  readonly observer: Observer;
  /** Sends what is left, and waits for that at most 2 seconds. */
  close(): Promise<void>;
}

/** What is sent to a collector. */
export interface Signals {
  readonly traces: boolean;
  readonly metrics: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Starts sending what `env` asks for; undefined when that is nothing. The SDK reads its other settings from the process. */
export async function startTelemetry(env: Environment, log: Log): Promise<Telemetry | undefined> {
  const signals = signalsOf(env, log);
  if (!signals.traces && !signals.metrics) return undefined;
  const { openTelemetry } = await import('./opentelemetry.js');
  return openTelemetry(signals, env, log);
}

function signalsOf(env: Environment, log: Log): Signals {
  if (setting(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return { traces: false, metrics: false };
  const signals = { traces: isAsked('TRACES', env, log), metrics: isAsked('METRICS', env, log) };
  const protocol = setting(env, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  if ((signals.traces || signals.metrics) && protocol === 'grpc')
    log.warn('OTEL_EXPORTER_OTLP_PROTOCOL is grpc; traces and metrics are sent as OTLP over HTTP, usually to port 4318.');
  return signals;
}

/** By its exporter when one is named, else by an address to send it to. */
function isAsked(signal: 'TRACES' | 'METRICS', env: Environment, log: Log): boolean {
  const exporter = setting(env, `OTEL_${signal}_EXPORTER`);
  if (exporter === undefined)
    return [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, 'OTEL_EXPORTER_OTLP_ENDPOINT'].some((name) => setting(env, name) !== undefined);
  const names = exporter.split(',').map((name) => name.trim());
  if (!names.every((name) => name === 'otlp' || name === 'none'))
    log.warn(`OTEL_${signal}_EXPORTER may be otlp or none; anything else it names is not served.`);
  return names.includes('otlp');
}

/** An empty variable counts as unset, as OpenTelemetry has it. */
function setting(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
