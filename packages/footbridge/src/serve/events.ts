/** Changes of the catalog as events and notifications. */
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import type { CatalogChange } from '../catalog/change.js';
import { skillEditsBetween } from '../catalog/skill-edits.js';
import { callName, type Snapshot } from '../catalog/snapshot.js';
import type { Fields } from '../json.js';
import { nameKey, pathKey } from '../sources/skill-uri.js';
import type { ContributedTool, Skill } from '../sources/source.js';
import { catalogueOf } from '../surfaces/catalogue/index.js';
import { prepareCatalogue } from '../surfaces/catalogue/ranked.js';
import { resourceListingOf } from '../surfaces/discovery.js';
import { type HostView, type HostViews, UNLIMITED_VIEW } from '../surfaces/hosts/view.js';
import { promptListingOf } from '../surfaces/prompt-discovery.js';
import { searchedTools } from '../surfaces/tool-search/listing.js';
import { searchDescription } from '../surfaces/tools/find-tools.js';
import { ownToolNames, type ToolChoice } from '../surfaces/tools/index.js';
import { unavailableTool } from '../surfaces/tools/unavailable-server.js';

export type EventFeed = Pick<ServerEventBus, 'subscribe'>;

/** One event per changed list. `skillPrompts`: whether skills are also prompts. `hosts`: to whom `tools` were shown, and how. */
export function catalogEvents(catalog: Catalog, skillPrompts: boolean, hosts: HostViews, tools: ToolChoice = {}): EventFeed {
  return {
    subscribe(listener) {
      let isStopped = false;
      const announce = (change: CatalogChange) => {
        if (isStopped) return;
        for (const event of eventsOf(change, skillPrompts, hosts.shown, tools)) listener(event);
      };
      const stopChanges = catalog.onChange((change) => {
        // With very many skills, the texts for hosts take several turns.
        const preparing = prepareCatalogue(change.snapshot, ...hosts.shown);
        if (preparing === undefined) announce(change);
        else void preparing.then(() => announce(change));
      });
      const stopUpdates = catalog.onUpdate((uri, params) => listener({ kind: 'resource_updated', uri, params }));
      return () => {
        isStopped = true;
        stopChanges();
        stopUpdates();
      };
    },
  };
}

const known = new WeakMap<CatalogChange, Readonly<Record<'tools' | 'resources' | 'prompts' | 'skillPrompts', boolean>>>();

/** Which lists differ after a change; computed once, since every view asks. */
function changedLists(change: CatalogChange, views: readonly HostView[], choice: ToolChoice) {
  let changed = known.get(change);
  if (changed === undefined) {
    const { previous, snapshot } = change;
    const prompts = !change.prompts.isSame;
    changed = {
      tools:
        (!change.tools.isSame && isListedOtherwise(previous, snapshot, views, choice)) ||
        toolTexts(previous, views, choice) !== toolTexts(snapshot, views, choice),
      resources: !(change.resources.isSame && change.templates.isSame && change.skills.isSame),
      prompts,
      skillPrompts: prompts || (!change.skills.isSame && isPromptedOtherwise(change)),
    };
    known.set(change, changed);
  }
  return changed;
}

function eventsOf(change: CatalogChange, skillPrompts: boolean, views: readonly HostView[], choice: ToolChoice): readonly ServerEvent[] {
  const changed = changedLists(change, views, choice);
  return [
    ...(changed.tools ? [{ kind: 'tools_list_changed' } as const] : []),
    ...(changed.resources ? [{ kind: 'resources_list_changed' } as const] : []),
    ...((skillPrompts ? changed.skillPrompts : changed.prompts) ? [{ kind: 'prompts_list_changed' } as const] : []),
  ];
}

/** Whether a host lists other contributed tools than before; those that it searches for are in no list. */
function isListedOtherwise(previous: Snapshot, snapshot: Snapshot, views: readonly HostView[], choice: ToolChoice): boolean {
  return (
    views.length === 0 ||
    views.some((view) => {
      const [before, now] = [searchedTools(previous, view, choice), searchedTools(snapshot, view, choice)];
      if (before.size === 0 || now.size === 0) return true;
      const listed = ({ tools }: Snapshot, searched: typeof now) => tools.filter((tool) => !searched.has(tool));
      const [was, is] = [listed(previous, before), listed(snapshot, now)];
      const isSame = (tool: ContributedTool, at: number) =>
        tool === was[at] || JSON.stringify(tool.entry) === JSON.stringify(was[at]?.entry);
      return was.length !== is.length || !is.every(isSame);
    })
  );
}

/** The parts of built-in tool entries that depend on the snapshot. */
function toolTexts(snapshot: Snapshot, views: readonly HostView[], choice: ToolChoice): string {
  return [
    ownToolNames(snapshot, UNLIMITED_VIEW).join(),
    unavailableTool(snapshot, snapshot.tools.length + ownToolNames(snapshot, UNLIMITED_VIEW).length)?.description ?? '',
    JSON.stringify(snapshot.toolMeta),
    ...views.flatMap((view) => [
      catalogueOf(snapshot, view).description,
      catalogueOf(snapshot, view).parameter,
      searchedTools(snapshot, view, choice).size === 0 ? '' : searchDescription(snapshot, view),
    ]),
    resourceListingOf(snapshot),
    promptListingOf(snapshot),
  ].join('\n');
}

/** Whether a skill is a prompt of another name or description than before, one that did not change itself included. */
function isPromptedOtherwise({ previous, snapshot }: CatalogChange): boolean {
  const entry = (each: Snapshot, skill: Skill) => JSON.stringify([callName(each, skill), skill.name, skill.description]);
  const isNamedOtherwise = (skill: Skill) =>
    snapshot.byPath.get(pathKey([...skill.group, skill.name])) === skill && callName(previous, skill) !== callName(snapshot, skill);
  return skillEditsBetween(previous.skills, snapshot.skills).some(
    ({ added, removed }) =>
      added.length !== removed.length ||
      added.some((skill, at) => removed[at] === undefined || entry(snapshot, skill) !== entry(previous, removed[at])) ||
      // A name that was taken or given back belongs to another skill now.
      [...added, ...removed].some(({ name }) =>
        [previous, snapshot].some(({ byName }) => {
          const holder = byName.get(nameKey(name));
          return holder !== undefined && !added.includes(holder) && !removed.includes(holder) && isNamedOtherwise(holder);
        }),
      ),
  );
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
