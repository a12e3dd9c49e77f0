/** Metrics for Prometheus: of requests, of reads, of the process. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Counters } from '../../catalog/counters.js';
import { TOOL_NAMES } from '../../surfaces/tools/index.js';
import { VERSION } from '../../version.js';
import type { Observer } from '../observer.js';
import { DurationHistogram } from './duration-histogram.js';
import { KNOWN_METHODS } from './methods.js';
import { createTallies, OUTCOMES } from './tallies.js';

export const REFUSALS = ['rate', 'concurrency', 'host', 'origin', 'token', 'body', 'sessions'] as const;
/** Why a request was turned away before it was served. */
export type RefusalReason = (typeof REFUSALS)[number];

/** What is asked when somebody looks at the metrics. */
export interface Watched {
  skills(): number;
  resources(): number;
  sessions(): number;
  streams(): number;
  /** Whether the state that replicas share can be reached; undefined where there is none. */
  sharedUp(): boolean | undefined;
  /** What was read from the catalog. */
  counters(): Counters;
}

export interface Metrics {
  readonly observer: Observer;
  /** Counts an HTTP request by the status of its answer. */
  http(status: number): void;
  /** Counts a request that was turned away. */
  refused(reason: RefusalReason): void;
  /** Adds what is to be asked; may be called by each who knows a part of it. */
  watch(watched: Partial<Watched>): void;
  /** The metrics as they are now, to be served with `contentType`. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Metrics in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const { observer, methods, tools } = createTallies(KNOWN_METHODS, TOOL_NAMES);
  const statuses = new Map<number, number>();
  const refusals = new Map<RefusalReason, number>(REFUSALS.map((reason) => [reason, 0]));
  let watched: Partial<Watched> = {};

  new Counter({
    name: 'footbridge_requests_total',
    help: 'Requests served, by the method of the protocol and how they ended.',
    labelNames: ['method', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [method, { outcomes }] of methods) for (const outcome of OUTCOMES) this.inc({ method, outcome }, outcomes[outcome]);
    },
  });
  new DurationHistogram(methods, registry);
  new Counter({
    name: 'footbridge_tool_calls_total',
    help: 'Calls of tools by name and how they ended; tools that are not our own are other.',
    labelNames: ['tool', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [tool, outcomes] of tools) for (const outcome of OUTCOMES) this.inc({ tool, outcome }, outcomes[outcome]);
    },
  });
  new Counter({
    name: 'footbridge_reads_total',
    help: 'Reads of resources, by the route they came, the kind of resource and how they ended.',
    labelNames: ['route', 'kind', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [route, kinds] of Object.entries(watched.counters?.() ?? {}))
        for (const [kind, { reads, failures }] of Object.entries(kinds)) {
          this.inc({ route, kind, outcome: 'ok' }, reads - failures);
          this.inc({ route, kind, outcome: 'error' }, failures);
        }
    },
  });
  new Counter({
    name: 'footbridge_http_requests_total',
    help: 'HTTP requests by the status of the answer.',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset();
      for (const [status, count] of statuses) this.inc({ status }, count);
    },
  });
  new Counter({
    name: 'footbridge_refused_total',
    help: 'Requests turned away before they were served, by the reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of refusals) this.inc({ reason }, count);
    },
  });

  const gauge = (name: string, help: string, value: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const now = value();
        // A number that nobody knows is left out, not shown as zero.
        if (now === undefined) this.remove();
        else this.set(now);
      },
    });
  gauge('footbridge_sessions', 'Sessions that are open.', () => watched.sessions?.());
  gauge('footbridge_streams', 'Streams that are open.', () => watched.streams?.());
  gauge('footbridge_skills', 'Skills in the catalog.', () => watched.skills?.());
  gauge('footbridge_resources', 'Resources in the catalog.', () => watched.resources?.());
  gauge('footbridge_shared_state_up', 'Whether the state that replicas share can be reached.', () => {
    const up = watched.sharedUp?.();
    return up === undefined ? undefined : Number(up);
  });
  new Gauge({
    name: 'footbridge_build_info',
    help: 'Always 1; the version is in the label.',
    labelNames: ['version'],
    registers,
  }).set({ version: VERSION }, 1);
  collectDefaultMetrics({ register: registry });

  return {
    observer,
    http: (status) => void statuses.set(status, (statuses.get(status) ?? 0) + 1),
    refused: (reason) => void refusals.set(reason, (refusals.get(reason) ?? 0) + 1),
    watch(more) {
      watched = { ...watched, ...more };
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
