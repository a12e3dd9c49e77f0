/** Changes of the catalog as events and notifications. */
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import type { CatalogChange } from '../catalog/change.js';
import type { Fields } from '../json.js';
import { listChanges } from '../surfaces/changes.js';

export type EventFeed = Pick<ServerEventBus, 'subscribe'>;

/** One event per changed list. `skillPrompts`: whether skills are also prompts. */
export function catalogEvents(catalog: Catalog, skillPrompts: boolean): EventFeed {
  return {
    subscribe(listener) {
      const stopChanges = catalog.onChange((change) => {
        for (const event of eventsOf(change, skillPrompts)) listener(event);
      });
      const stopUpdates = catalog.onUpdate((uri) => listener({ kind: 'resource_updated', uri }));
      return () => {
        stopChanges();
        stopUpdates();
      };
    },
  };
}

function eventsOf(change: CatalogChange, skillPrompts: boolean): readonly ServerEvent[] {
  const changed = listChanges(change);
  return [
    ...(changed.tools ? [{ kind: 'tools_list_changed' } as const] : []),
    ...(changed.resources ? [{ kind: 'resources_list_changed' } as const] : []),
    ...((skillPrompts ? changed.skillPrompts : changed.prompts) ? [{ kind: 'prompts_list_changed' } as const] : []),
  ];
}

const METHODS = {
  tools_list_changed: 'notifications/tools/list_changed',
  resources_list_changed: 'notifications/resources/list_changed',
  prompts_list_changed: 'notifications/prompts/list_changed',
  resource_updated: 'notifications/resources/updated',
} as const;

/** Sends a notification for each event. Returns a function that unsubscribes. */
export function announceChanges(
  events: EventFeed,
  notify: (method: string, params: Fields | undefined) => void,
  wants: (event: ServerEvent) => boolean = () => true,
): () => void {
  return events.subscribe((event) => {
    if (wants(event)) notify(METHODS[event.kind], event.kind === 'resource_updated' ? { uri: event.uri } : undefined);
  });
}
