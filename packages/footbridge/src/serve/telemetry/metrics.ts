/** Prometheus metrics of requests, reads and the process. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Counters } from '../../catalog/counters.js';
import { processMemory } from '../../memory-budget.js';
import type { Upstream } from '../../sources/forwarding.js';
import { TOOL_NAMES } from '../../surfaces/tools/index.js';
import { VERSION } from '../../version.js';
import { KNOWN_METHODS, type Observer } from './observer.js';

export const REFUSALS = ['rate', 'concurrency', 'host', 'origin', 'token', 'body', 'sessions'] as const;
/** Why a request was rejected before it was served. */
export type RefusalReason = (typeof REFUSALS)[number];

/** The number of skills with a label of their own: those that are loaded first. */
const MAX_SKILL_LABELS = 200;

const OUTCOMES = ['ok', 'tool_error', 'error'] as const;
/** Upper bounds in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** The label for unknown names: a caller can invent any number of them. */
const OTHER = 'other';

/** Values read when the metrics are collected. */
export interface Watched {
  skills(): number;
  resources(): number;
  sessions(): number;
  streams(): number;
  /** Whether the shared state is connected; undefined for a single replica. */
  sharedUp(): boolean | undefined;
  /** Upstream servers, each with its failure. */
  upstreams(): readonly Pick<Upstream, 'name' | 'failure' | 'isRunning'>[];
  counters(): Counters;
}

export interface Metrics {
  readonly observer: Observer;
  http(status: number): void;
  /** Counts a load of an existing skill. */
  used(skill: string): void;
  refused(reason: RefusalReason): void;
  /** Adds values to collect; may be called several times. */
  watch(watched: Partial<Watched>): void;
  /** The current metrics, to be served with `contentType`. */
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const durations = new Histogram({
    name: 'footbridge_request_duration_seconds',
    help: 'Duration of requests by MCP method.',
    labelNames: ['method'],
    buckets: BUCKETS,
    registers,
  });
  // Plain numbers, passed to prom-client when collected: incrementing a labelled counter costs more.
  const tally = (method: string) => ({ outcomes: noOutcomes(), duration: durations.labels(method) });
  const otherMethod = tally(OTHER);
  const methods = new Map([...KNOWN_METHODS].map((method) => [method, tally(method)])).set(OTHER, otherMethod);
  const tools = new Map([...TOOL_NAMES, OTHER].map((tool) => [tool, noOutcomes()]));
  const statuses = new Map<number, number>();
  const uses = new Map<string, number>();
  const refusals = new Map<RefusalReason, number>(REFUSALS.map((reason) => [reason, 0]));
  let watched: Partial<Watched> = {};

  /** Registers a metric with the values that `collect` yields. An unknown value is omitted, not reported as zero. */
  const metric = <Label extends string>(
    Type: typeof Counter | typeof Gauge,
    name: string,
    help: string,
    labelNames: readonly Label[],
    collect: () => Iterable<[Partial<Record<Label, string | number>>, number | undefined]>,
  ) =>
    new Type({
      name,
      help,
      labelNames,
      registers,
      collect() {
        if (labelNames.length > 0) this.reset();
        else this.remove();
        for (const [labels, value] of collect()) if (value !== undefined) this.inc(labels, value);
      },
    });
  metric(Counter, 'footbridge_requests_total', 'Requests by MCP method and outcome.', ['method', 'outcome'], function* () {
    for (const [method, { outcomes }] of methods) for (const outcome of OUTCOMES) yield [{ method, outcome }, outcomes[outcome]];
  });
  const toolCalls = 'Calls of built-in tools by name and outcome; other tools are "other".';
  metric(Counter, 'footbridge_tool_calls_total', toolCalls, ['tool', 'outcome'], function* () {
    for (const [tool, outcomes] of tools) for (const outcome of OUTCOMES) yield [{ tool, outcome }, outcomes[outcome]];
  });
  const reads = 'Reads of resources by route, kind and outcome.';
  metric(Counter, 'footbridge_reads_total', reads, ['route', 'kind', 'outcome'], function* () {
    for (const [route, kinds] of Object.entries(watched.counters?.() ?? {}))
      for (const [kind, { reads, failures }] of Object.entries(kinds)) {
        yield [{ route, kind, outcome: 'ok' }, reads - failures];
        yield [{ route, kind, outcome: 'error' }, failures];
      }
  });
  const loads = `Loads of skills by name; beyond ${MAX_SKILL_LABELS} names "other".`;
  metric(Counter, 'footbridge_skill_loads_total', loads, ['skill'], function* () {
    for (const [skill, count] of uses) yield [{ skill }, count];
  });
  metric(Counter, 'footbridge_http_requests_total', 'HTTP requests by status.', ['status'], function* () {
    for (const [status, count] of statuses) yield [{ status }, count];
  });
  metric(Counter, 'footbridge_refused_total', 'Requests rejected before they were served, by reason.', ['reason'], function* () {
    for (const [reason, count] of refusals) yield [{ reason }, count];
  });

  const gauge = (name: string, help: string, value: () => number | undefined) => metric(Gauge, name, help, [], () => [[{}, value()]]);
  gauge('footbridge_sessions', 'Open sessions.', () => watched.sessions?.());
  gauge('footbridge_streams', 'Open streams.', () => watched.streams?.());
  gauge('footbridge_held_bytes', 'Memory that running calls hold.', () => processMemory.held);
  gauge('footbridge_skills', 'Skills in the catalog.', () => watched.skills?.());
  gauge('footbridge_resources', 'Resources in the catalog.', () => watched.resources?.());
  gauge('footbridge_shared_state_up', 'Whether the shared state of the replicas is connected.', () => {
    const up = watched.sharedUp?.();
    return up === undefined ? undefined : Number(up);
  });
  metric(Gauge, 'footbridge_upstream_running', 'Whether an upstream server is connected.', ['server'], function* () {
    for (const { name, isRunning } of watched.upstreams?.() ?? []) yield [{ server: name }, isRunning ? 1 : 0];
  });
  metric(Gauge, 'footbridge_upstream_up', 'Whether an upstream server can be used.', ['server'], function* () {
    for (const { name, failure } of watched.upstreams?.() ?? []) yield [{ server: name }, Number(failure === undefined)];
  });
  const failures = 'Upstream servers that cannot be used, by the kind of failure; always 1.';
  metric(Gauge, 'footbridge_upstream_failures', failures, ['server', 'kind'], function* () {
    for (const { name, failure } of watched.upstreams?.() ?? []) if (failure !== undefined) yield [{ server: name, kind: failure.kind }, 1];
  });
  metric(Gauge, 'footbridge_build_info', 'Always 1; the label is the version.', ['version'], () => [[{ version: VERSION }, 1]]);
  collectDefaultMetrics({ register: registry });

  return {
    observer: {
      begin({ method, target }) {
        const { duration, outcomes } = methods.get(method) ?? otherMethod;
        const tool = method === 'tools/call' ? (tools.get(target ?? OTHER) ?? tools.get(OTHER)) : undefined;
        const began = performance.now();
        return ({ errorType }) => {
          const outcome = errorType === undefined ? 'ok' : errorType === 'tool_error' ? 'tool_error' : 'error';
          outcomes[outcome]++;
          if (tool !== undefined) tool[outcome]++;
          duration.observe((performance.now() - began) / 1000);
        };
      },
    },
    http: (status) => void statuses.set(status, (statuses.get(status) ?? 0) + 1),
    used(skill) {
      const label = uses.has(skill) || uses.size < MAX_SKILL_LABELS ? skill : OTHER;
      uses.set(label, (uses.get(label) ?? 0) + 1);
    },
    refused: (reason) => void refusals.set(reason, (refusals.get(reason) ?? 0) + 1),
    watch(more) {
      watched = { ...watched, ...more };
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function noOutcomes(): Record<(typeof OUTCOMES)[number], number> {
  return { ok: 0, tool_error: 0, error: 0 };
}
