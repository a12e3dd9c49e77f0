/** Which of the lists that hosts see differ after a change of the catalog. */
import type { CatalogChange } from '../catalog/change.js';
import { callName, type Snapshot } from '../catalog/snapshot.js';
import { catalogueOf } from './catalogue.js';
import { resourceListingOf } from './discovery.js';
import { promptListingOf } from './prompt-discovery.js';
import { ownToolNames } from './tools/index.js';

export interface ListChanges {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
  /** The prompts of a server that shows each skill as a prompt too. */
  readonly skillPrompts: boolean;
}

const known = new WeakMap<CatalogChange, ListChanges>();

/** Computed once for each change. */
export function listChanges(change: CatalogChange): ListChanges {
  let changes = known.get(change);
  if (changes === undefined) {
    const { previous, snapshot } = change;
    const prompts = !change.prompts.isSame;
    changes = {
      tools: !change.tools.isSame || toolTexts(previous) !== toolTexts(snapshot),
      resources: !(change.resources.isSame && change.templates.isSame && change.skills.isSame),
      prompts,
      skillPrompts: prompts || (!change.skills.isSame && promptEntries(previous) !== promptEntries(snapshot)),
    };
    known.set(change, changes);
  }
  return changes;
}

/** The parts of our tools' entries that depend on the snapshot. */
function toolTexts(snapshot: Snapshot): string {
  return [
    ownToolNames(snapshot).join(),
    JSON.stringify(snapshot.toolMeta),
    catalogueOf(snapshot).text,
    resourceListingOf(snapshot),
    promptListingOf(snapshot),
  ].join('\n');
}

function promptEntries(snapshot: Snapshot): string {
  return JSON.stringify(snapshot.skills.map((skill) => [callName(snapshot, skill), skill.name, skill.description]));
}
