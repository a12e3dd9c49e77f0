/** Changes of the catalog as the SDK carries them to hosts. */
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import type { CatalogChange } from '../catalog/change.js';
import { listChanges } from '../surfaces/changes.js';

/** A source of events: a catalog, or the bus that many servers share. */
export type EventFeed = Pick<ServerEventBus, 'subscribe'>;

/** What a catalog's changes mean to a host; only lists that differ are told. `skillPrompts`: whether each skill is a prompt too. */
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
