/** Which lists differ after a change of the catalog: only those are announced. */
import type { Change } from '../catalog/catalog.js';
import { callName, type Snapshot } from '../catalog/snapshot.js';
import type { Skill } from '../sources/source.js';
import { catalogueOf } from './catalogue.js';
import { listingOf } from './discovery.js';
import { promptListingOf } from './prompt-discovery.js';
import { ownToolNames } from './tools/index.js';

export interface ListChanges {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
}

/** `skillPrompts`: whether each skill is a prompt too. */
export function listChanges({ previous, snapshot }: Change, skillPrompts: boolean): ListChanges {
  return {
    tools: !sameEntries(previous.tools, snapshot.tools) || toolTexts(previous) !== toolTexts(snapshot),
    resources:
      !sameEntries(previous.resources, snapshot.resources) ||
      !sameEntries(previous.templates, snapshot.templates) ||
      !sameList(
        previous,
        snapshot,
        (one, other) => sameEntry(one, other) && one.size === other.size && one.group.join('/') === other.group.join('/'),
      ),
    prompts:
      !sameEntries(previous.prompts, snapshot.prompts) ||
      (skillPrompts &&
        !sameList(previous, snapshot, (one, other) => sameEntry(one, other) && callName(previous, one) === callName(snapshot, other))),
  };
}

/** All that varies in our tools. */
function toolTexts(snapshot: Snapshot): string {
  return [
    ownToolNames(snapshot).join(),
    JSON.stringify(snapshot.toolMeta),
    catalogueOf(snapshot).text,
    listingOf(snapshot),
    promptListingOf(snapshot),
  ].join('\n');
}

interface Listed {
  readonly entry: unknown;
}

function sameEntries(previous: readonly Listed[], next: readonly Listed[]): boolean {
  if (previous.length !== next.length) return false;
  return previous.every(({ entry }, index) => {
    const other = next[index]?.entry;
    return entry === other || JSON.stringify(entry) === JSON.stringify(other);
  });
}

function sameList(previous: Snapshot, snapshot: Snapshot, same: (one: Skill, other: Skill) => boolean): boolean {
  if (previous.skills.length !== snapshot.skills.length) return false;
  return previous.skills.every((one, index) => {
    const other = snapshot.skills[index];
    return other !== undefined && same(one, other);
  });
}

function sameEntry(one: Skill, other: Skill): boolean {
  return one.name === other.name && one.description === other.description;
}
