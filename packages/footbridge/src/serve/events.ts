/** Changes of the catalog as events and notifications. */
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import type { CatalogChange } from '../catalog/change.js';
import { callName, type Snapshot } from '../catalog/snapshot.js';
import type { Fields } from '../json.js';
import { catalogueOf } from '../surfaces/catalogue.js';
import { resourceListingOf } from '../surfaces/discovery.js';
import type { HostView, HostViews } from '../surfaces/hosts/view.js';
import { promptListingOf } from '../surfaces/prompt-discovery.js';
import { ownToolNames } from '../surfaces/tools/index.js';
import { unavailableTool } from '../surfaces/tools/unavailable-server.js';

export type EventFeed = Pick<ServerEventBus, 'subscribe'>;

/** One event per changed list. `skillPrompts`: whether skills are also prompts. `hosts`: to whom tools were shown, and how. */
export function catalogEvents(catalog: Catalog, skillPrompts: boolean, hosts: HostViews): EventFeed {
  return {
    subscribe(listener) {
      const stopChanges = catalog.onChange((change) => {
        for (const event of eventsOf(change, skillPrompts, hosts.shown)) listener(event);
      });
      const stopUpdates = catalog.onUpdate((uri, params) => listener({ kind: 'resource_updated', uri, params }));
      return () => {
        stopChanges();
        stopUpdates();
      };
    },
  };
}

const known = new WeakMap<CatalogChange, Readonly<Record<'tools' | 'resources' | 'prompts' | 'skillPrompts', boolean>>>();

/** Which lists differ after a change; computed once, since every view asks. */
function changedLists(change: CatalogChange, views: readonly HostView[]) {
  let changed = known.get(change);
  if (changed === undefined) {
    const { previous, snapshot } = change;
    const prompts = !change.prompts.isSame;
    changed = {
      tools: !change.tools.isSame || toolTexts(previous, views) !== toolTexts(snapshot, views),
      resources: !(change.resources.isSame && change.templates.isSame && change.skills.isSame),
      prompts,
      skillPrompts: prompts || (!change.skills.isSame && promptEntries(previous) !== promptEntries(snapshot)),
    };
    known.set(change, changed);
  }
  return changed;
}

function eventsOf(change: CatalogChange, skillPrompts: boolean, views: readonly HostView[]): readonly ServerEvent[] {
  const changed = changedLists(change, views);
  return [
    ...(changed.tools ? [{ kind: 'tools_list_changed' } as const] : []),
    ...(changed.resources ? [{ kind: 'resources_list_changed' } as const] : []),
    ...((skillPrompts ? changed.skillPrompts : changed.prompts) ? [{ kind: 'prompts_list_changed' } as const] : []),
  ];
}

/** The parts of built-in tool entries that depend on the snapshot. */
function toolTexts(snapshot: Snapshot, views: readonly HostView[]): string {
  return [
    ownToolNames(snapshot).join(),
    unavailableTool(snapshot, snapshot.tools.length + ownToolNames(snapshot).length)?.description ?? '',
    JSON.stringify(snapshot.toolMeta),
    ...views.flatMap((view) => [catalogueOf(snapshot, view).description, catalogueOf(snapshot, view).parameter]),
    resourceListingOf(snapshot),
    promptListingOf(snapshot),
  ].join('\n');
}

function promptEntries(snapshot: Snapshot): string {
  return JSON.stringify(snapshot.skills.map((skill) => [callName(snapshot, skill), skill.name, skill.description]));
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
    if (wants(event)) notify(METHODS[event.kind], event.kind === 'resource_updated' ? { ...event.params, uri: event.uri } : undefined);
  });
}
