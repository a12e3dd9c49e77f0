/** Counts reads by route and kind of resource. */
import { echo } from '../errors.js';
import type { Log } from '../log.js';
import { redact } from '../redact.js';
import type { Route } from '../sources/resource.js';

/** Whether a URI is listed or matches a template. */
export type ResourceKind = 'static' | 'template';

/** Reads of one kind of resource by one route. */
export interface Count {
  readonly reads: number;
  readonly failures: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

export type Counters = Readonly<Record<Route, Readonly<Record<ResourceKind, Count>>>>;

/** One finished read; `bytes` is undefined when it failed. */
export interface Read {
  /** For the log. */
  readonly uri: () => string;
  readonly route: Route | undefined;
  readonly kind: ResourceKind;
  readonly milliseconds: number;
  readonly bytes: number | undefined;
}

export class ReadCounters {
  readonly #counters = { tool: noneYet(), resource: noneYet() };
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** A copy of the current counts. */
  get now(): Counters {
    return structuredClone(this.#counters);
  }

  /** Counts a read, and logs it at the level `debug`. */
  add({ uri, route = 'resource', kind, milliseconds, bytes }: Read): void {
    const count = this.#counters[route][kind];
    count.reads++;
    count.failures += bytes === undefined ? 1 : 0;
    count.bytes += bytes ?? 0;
    count.milliseconds += milliseconds;
    if (this.#log.debugs === false) return;
    const outcome = bytes === undefined ? 'failed' : `${bytes} bytes`;
    this.#log.debug(`read by ${route}, ${kind}: ${redact(echo(uri()))}, ${outcome}, ${milliseconds.toFixed(2)} ms`);
  }
}

const noneYet = () => ({ static: zero(), template: zero() });
const zero = () => ({ reads: 0, failures: 0, bytes: 0, milliseconds: 0 });
