/** Change events for hosts: from the catalogs of this replica, and from other replicas. */
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { CallerView, CallerViews } from '../caller-views.js';
import { catalogEvents, type EventFeed } from '../events.js';
import type { SharedState } from './shared/shared-state.js';

export class Changes {
  readonly #bus: ServerEventBus;
  readonly #prompts: boolean;
  readonly #stop: readonly (() => void)[];
  /** Whether the bus is currently delivering an event of this replica. */
  #publishing = false;

  constructor(views: CallerViews, { bus, onRemoteChange }: Pick<SharedState, 'bus' | 'onRemoteChange'>, prompts: boolean) {
    this.#bus = bus;
    this.#prompts = prompts;
    this.#stop = [
      views.subscribe(onceEach((event) => this.#publish(event))),
      // Replicas may share their folders, so a change elsewhere may be one here.
      onRemoteChange(() => views.whole.catalog.refresh()),
    ];
  }

  /** The events for one view. List changes of other replicas go to every view: it is unknown which of them they affect. */
  feedFor({ catalog, hosts, sees, tools }: CallerView): EventFeed {
    return {
      subscribe: (listener) => {
        const stopOwn = catalogEvents(catalog, this.#prompts, hosts, tools).subscribe(listener);
        const stopRemote = this.#bus.subscribe((event) => {
          if (!this.#publishing && (event.kind !== 'resource_updated' || sees(event.uri))) listener(event);
        });
        return () => {
          stopOwn();
          stopRemote();
        };
      },
    };
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }

  #publish(event: ServerEvent): void {
    this.#publishing = true;
    try {
      this.#bus.publish(event);
    } finally {
      this.#publishing = false;
    }
  }
}

/** Publishes an event once when several views report it at the same time. */
function onceEach(publish: (event: ServerEvent) => void): (event: ServerEvent) => void {
  const pending = new Map<string, ServerEvent>();
  return (event) => {
    if (pending.size === 0)
      setImmediate(() => {
        const events = [...pending.values()];
        pending.clear();
        for (const each of events) publish(each);
      });
    pending.set(JSON.stringify(event), event);
  };
}
