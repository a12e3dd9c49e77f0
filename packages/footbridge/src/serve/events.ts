/** Changes of the catalog as hosts hear of them. */
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import type { CatalogChange } from '../catalog/change.js';
import type { Fields } from '../json.js';
import { listChanges } from '../surfaces/changes.js';

/** A source of events: a catalog, or the bus that many servers share. */
export type EventFeed = Pick<ServerEventBus, 'subscribe'>;

/** Only lists that differ make an event. `skillPrompts`: whether each skill is a prompt too. */
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

/** Turns each event into a notification. Returns the way to stop. */
export function announceChanges(
  events: EventFeed,
  notify: (method: string, params: Fields | undefined) => void,
  wants: (event: ServerEvent) => boolean = () => true,
): () => void {
  return events.subscribe((event) => {
    if (wants(event)) notify(METHODS[event.kind], event.kind === 'resource_updated' ? { uri: event.uri } : undefined);
  });
}
