/** What differs between two locks. */
import { SKILL_FILE } from '../../sources/source.js';
import { type ChangedField, compareSurfaces, compareText, type Entry, LIST_NAMES, LISTS, type Surface } from '../surface/canonical.js';
import type { ListingKind, Lock, LockedFileEntry, LockedListing, LockedSkillEntry } from './document.js';

type FileState = Pick<LockedFileEntry, 'digest' | 'size'>;

/** `group` is the skill or the origin that it belongs to. */
export type Drift = { readonly group: string } & (
  | { readonly change: 'added'; readonly kind: 'file'; readonly uri: string; readonly after: FileState }
  | { readonly change: 'removed'; readonly kind: 'file'; readonly uri: string; readonly before: FileState }
  | { readonly change: 'changed'; readonly kind: 'file'; readonly uri: string; readonly before: FileState; readonly after: FileState }
  | { readonly change: 'renamed'; readonly kind: 'skill'; readonly before: string; readonly after: string }
  | { readonly change: 'changed'; readonly kind: 'origin' | 'description'; readonly before: string; readonly after: string }
  | { readonly change: 'added' | 'removed'; readonly kind: ListingKind; readonly name: string }
  | { readonly change: 'changed'; readonly kind: ListingKind; readonly name: string; readonly differences: readonly ChangedField[] }
);

/** Skills first. */
export function driftBetween(before: Lock, after: Lock): readonly Drift[] {
  return [...skillDrift(before.skills, after.skills), ...listingDrift(before.listings, after.listings)];
}

function skillDrift(before: readonly LockedSkillEntry[], after: readonly LockedSkillEntry[]): readonly Drift[] {
  const old = new Map(before.map((skill) => [skill.uri, skill]));
  const present = new Map(after.map((skill) => [skill.uri, skill]));
  const gone = before.filter(({ uri }) => !present.has(uri));
  const come = after.filter(({ uri }) => !old.has(uri));
  const renamed = renames(gone, come);
  const paired = new Set(renamed.flat());
  const pairs: (readonly [LockedSkillEntry | undefined, LockedSkillEntry | undefined])[] = [
    ...before.filter(({ uri }) => present.has(uri)).map((skill) => [skill, present.get(skill.uri)] as const),
    ...renamed,
    ...gone.filter((skill) => !paired.has(skill)).map((skill) => [skill, undefined] as const),
    ...come.filter((skill) => !paired.has(skill)).map((skill) => [undefined, skill] as const),
  ];
  return pairs
    .map(([one, other]) => driftOf(one, other))
    .toSorted(([one], [other]) => compareText(one?.group ?? '', other?.group ?? ''))
    .flat();
}

/** Pairs removed and added skills with the same files. `SKILL.md` contains the name, so it may differ. */
function renames(gone: readonly LockedSkillEntry[], come: readonly LockedSkillEntry[]) {
  const free = new Set(come);
  const byLikeness = new Map<string, LockedSkillEntry[]>();
  // Reversed, because `pop` takes the last.
  for (const skill of come.toReversed()) {
    for (const likeness of likenesses(skill)) {
      const alike = byLikeness.get(likeness);
      if (alike === undefined) byLikeness.set(likeness, [skill]);
      else alike.push(skill);
    }
  }
  const next = (likeness: string) => {
    const alike = byLikeness.get(likeness) ?? [];
    for (let skill = alike.pop(); skill !== undefined; skill = alike.pop()) if (free.delete(skill)) return skill;
    return undefined;
  };
  return gone.flatMap((skill): (readonly [LockedSkillEntry, LockedSkillEntry])[] => {
    const [sure = '', loose = ''] = likenesses(skill);
    const found = next(sure) ?? next(loose);
    return found === undefined ? [] : [[skill, found]];
  });
}

/** Keys that a renamed skill shares with the original, the strictest first. */
function likenesses(skill: LockedSkillEntry): readonly string[] {
  const files = [...filesOf(skill)].map(([path, { digest }]) => [path, digest]).sort(([one = ''], [other = '']) => compareText(one, other));
  const others = files.filter(([path]) => path !== SKILL_FILE);
  const loose = files.length === others.length ? [] : [JSON.stringify([others, others.length === 0 ? skill.description : ''])];
  return [JSON.stringify(files), ...loose];
}

function filesOf({ uri: root, files }: LockedSkillEntry): ReadonlyMap<string, LockedFileEntry> {
  return new Map(files.map((file) => [file.uri.slice(root.length + 1), file]));
}

function driftOf(one: LockedSkillEntry | undefined, other: LockedSkillEntry | undefined): readonly Drift[] {
  const group = other?.uri ?? one?.uri ?? '';
  const drift: Drift[] = [];
  if (one !== undefined && other !== undefined) {
    if (one.uri !== other.uri) drift.push({ change: 'renamed', kind: 'skill', group, before: one.uri, after: other.uri });
    for (const kind of ['origin', 'description'] as const)
      if (one[kind] !== other[kind]) drift.push({ change: 'changed', kind, group, before: one[kind], after: other[kind] });
  }
  const [old, present] = [one === undefined ? new Map() : filesOf(one), other === undefined ? new Map() : filesOf(other)];
  for (const path of [...new Set([...old.keys(), ...present.keys()])].sort(compareText)) {
    const [before, after] = [old.get(path), present.get(path)];
    if (before === undefined && after !== undefined)
      drift.push({ change: 'added', kind: 'file', group, uri: after.uri, after: stateOf(after) });
    else if (after === undefined && before !== undefined)
      drift.push({ change: 'removed', kind: 'file', group, uri: before.uri, before: stateOf(before) });
    else if (before !== undefined && after !== undefined && (before.digest !== after.digest || before.size !== after.size))
      drift.push({ change: 'changed', kind: 'file', group, uri: after.uri, before: stateOf(before), after: stateOf(after) });
  }
  return drift;
}

function stateOf({ digest, size }: LockedFileEntry): FileState {
  return { digest, size };
}

/** By origin: a listing that moves to another server is removed from one and added to the other. */
function listingDrift(before: readonly LockedListing[], after: readonly LockedListing[]): readonly Drift[] {
  const origins = [...new Set([...before, ...after].map(({ origin }) => origin))].sort(compareText);
  return origins.flatMap((group): readonly Drift[] => {
    const of = (listings: readonly LockedListing[]) => listings.filter(({ origin }) => origin === group);
    const [old, present] = [of(before), of(after)];
    return [
      ...surfaceDrift(group, surfaceOf(old), surfaceOf(present)),
      ...surfaceDrift(group, instructionsOf(old), instructionsOf(present)).map((drift) => ({ ...drift, kind: 'instructions' as const })),
    ];
  });
}

function surfaceDrift(group: string, before: Surface, after: Surface) {
  const { added, removed, changed } = compareSurfaces(before, after);
  return [
    ...changed.map(({ kind, key, differences }) => ({ change: 'changed' as const, kind, group, name: key, differences })),
    ...added.map(({ kind, key }) => ({ change: 'added' as const, kind, group, name: key })),
    ...removed.map(({ kind, key }) => ({ change: 'removed' as const, kind, group, name: key })),
  ];
}

function surfaceOf(listings: readonly LockedListing[]): Surface {
  const [tools = [], resources = [], resourceTemplates = [], prompts = []] = LIST_NAMES.map((name) =>
    entriesOf(listings, LISTS[name].kind),
  );
  return { tools, resources, resourceTemplates, prompts };
}

function instructionsOf(listings: readonly LockedListing[]): Surface {
  return { tools: [], resources: [], resourceTemplates: [], prompts: entriesOf(listings, 'instructions') };
}

function entriesOf(listings: readonly LockedListing[], wanted: ListingKind): readonly Entry[] {
  return listings.filter(({ kind }) => kind === wanted).map(({ name, entry }) => ({ key: name, fields: entry }));
}
