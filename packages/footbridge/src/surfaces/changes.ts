/** Which lists differ after a change of the catalog: only those are announced. */
import type { Change } from '../catalog/catalog.js';
import { callName, type Snapshot } from '../catalog/snapshot.js';
import type { Skill } from '../sources/source.js';
import { catalogueOf } from './catalogue.js';
import { listingOf } from './discovery.js';

export interface ListChanges {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
}

export function listChanges({ previous, snapshot }: Change): ListChanges {
  return {
    tools: toolTexts(previous) !== toolTexts(snapshot),
    resources:
      !sameResources(previous, snapshot) ||
      !sameList(
        previous,
        snapshot,
        (one, other) => sameEntry(one, other) && one.size === other.size && one.group.join('/') === other.group.join('/'),
      ),
    prompts: !sameList(previous, snapshot, (one, other) => sameEntry(one, other) && callName(previous, one) === callName(snapshot, other)),
  };
}

/** All that varies in our tools. */
function toolTexts(snapshot: Snapshot): string {
  return `${catalogueOf(snapshot).text}\n${listingOf(snapshot)}`;
}

function sameResources(previous: Snapshot, snapshot: Snapshot): boolean {
  const entries = ({ resources, templates }: Snapshot) => JSON.stringify([...resources, ...templates].map(({ entry }) => entry));
  const [before, after] = [previous.resources.length + previous.templates.length, snapshot.resources.length + snapshot.templates.length];
  return before === after && (after === 0 || entries(previous) === entries(snapshot));
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
