/** What hosts are told of: changes of what they see here, and whatever other replicas say. */
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { CallerView, CallerViews } from '../caller-views.js';
import { catalogEvents, type EventFeed } from '../events.js';
import type { SharedState } from './shared/shared-state.js';

export class Changes {
  readonly #bus: ServerEventBus;
  readonly #prompts: boolean;
  readonly #stop: readonly (() => void)[];
  /** Whether what the bus delivers just now is our own. */
  #publishing = false;

  /** `prompts`: whether each skill is a prompt too. */
  constructor(views: CallerViews, { bus, onRemoteChange }: Pick<SharedState, 'bus' | 'onRemoteChange'>, prompts: boolean) {
    this.#bus = bus;
    this.#prompts = prompts;
    this.#stop = [
      views.subscribe(onceEach((event) => this.#publish(event))),
      // Replicas may have their folders in common, and whoever is told looks at once.
      onRemoteChange(() => views.whole.catalog.refresh()),
    ];
  }

  /** For one view: of the lists here only those of theirs that differ; of what others saw it is not known whom it concerns. */
  feedFor({ catalog, sees }: CallerView): EventFeed {
    return {
      subscribe: (listener) => {
        const stopOwn = catalogEvents(catalog, this.#prompts).subscribe(listener);
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

/** Each thing once, however many see it change at a time. */
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
