/** What was read, by which road. */
import { echo } from '../errors.js';
import type { Log } from '../log.js';
import { redact } from '../redact.js';
import type { Route } from '../sources/resource.js';

/** Whether a URI is in the list, or follows a template. */
export type ResourceKind = 'static' | 'template';

/** What went by one road to one kind of resource. */
export interface Count {
  readonly reads: number;
  readonly failures: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

export type Counters = Readonly<Record<Route, Readonly<Record<ResourceKind, Count>>>>;

/** One read that is over; without bytes when it failed. */
export interface Read {
  readonly uri: string;
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

  /** As they are now. */
  get now(): Counters {
    return structuredClone(this.#counters);
  }

  /** Counts a read, and tells of it at the level `debug`. */
  add({ uri, route = 'resource', kind, milliseconds, bytes }: Read): void {
    const count = this.#counters[route][kind];
    count.reads++;
    count.failures += bytes === undefined ? 1 : 0;
    count.bytes += bytes ?? 0;
    count.milliseconds += milliseconds;
    if (this.#log.debugs === false) return;
    const outcome = bytes === undefined ? 'failed' : `${bytes} bytes`;
    this.#log.debug(`read by ${route}, ${kind}: ${redact(echo(uri))}, ${outcome}, ${milliseconds.toFixed(2)} ms`);
  }
}

const noneYet = () => ({ static: zero(), template: zero() });
const zero = () => ({ reads: 0, failures: 0, bytes: 0, milliseconds: 0 });
