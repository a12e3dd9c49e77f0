/** A set of skills that is updated incrementally equals one that is built from scratch. */
import { expect, it } from 'vitest';
import { editsBetween } from '../src/catalog/edits.js';
import { firstByName } from '../src/catalog/first-by-name.js';
import { stepsToSkillSet } from '../src/catalog/skill-set.js';
import { callName, Snapshot } from '../src/catalog/snapshot.js';
import { qualifiedName } from '../src/sources/skill-uri.js';
import type { Skill } from '../src/sources/source.js';
import { atOnce } from '../src/turns.js';

const FOLDERS = [[], ['a'], ['b'], ['a', 'one'], ['a:b'], ['Ägypten']];
const NAMES = ['one', 'two', 'Three', 'a', 'b:one', 'ägypten', ' four'];

let made = 0;

function skillAt(group: readonly string[], name: string): Skill {
  const identity = `${++made}`;
  return {
    name,
    description: `Number ${identity}`,
    group,
    location: made % 3 === 0 ? 'project' : 'global',
    origin: 'team/skills',
    identity,
    version: '1',
    size: undefined,
    conforms: true,
    read: async () => undefined,
    list: async () => undefined,
    manifest: async () => undefined,
  };
}

/** Numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

it('edits turn one list into another, whatever is added, removed, moved or replaced', () => {
  const random = numbers(1);
  let before = Array.from({ length: 60 }, () => ({}));
  for (let round = 0; round < 300; round++) {
    const after = before.filter(() => random(20) > 0);
    for (let times = random(4); times > 0; times--)
      after.splice(random(after.length), 0, ...Array.from({ length: random(30) }, () => ({})));
    if (random(5) === 0) after.push(...after.splice(random(after.length), 2));
    const made: object[] = [];
    let from = 0;
    for (const { added, at, removed } of editsBetween(before, after)) {
      while (made.length < at) made.push(before[from++] ?? {});
      expect(before.slice(from, from + removed.length)).toEqual(removed);
      from += removed.length;
      made.push(...added);
    }
    made.push(...before.slice(from));
    expect(made.length).toBe(after.length);
    expect(made.every((each, index) => each === after[index])).toBe(true);
    before = after.slice(0, 200);
  }
});

it.each([
  ['in folders', [[], ['a'], ['b'], ['a', 'one']], ['one', 'two', 'Three', 'a']],
  ['with any names', FOLDERS, NAMES],
  ['without folders', [[]], [...NAMES, 'five', 'six', 'seven', 'eight']],
])('finds the same skills by the same names after each of many changes: %s', (_title, groups, names) => {
  const random = numbers(7);
  let skills: readonly Skill[] = [];
  let snapshot = Snapshot.empty();
  const pick = () => skillAt(groups[random(groups.length)] ?? [], names[random(names.length)] ?? '');
  for (let round = 0; round < 400; round++) {
    const next = skills.filter(() => random(12) > 0);
    for (let times = 1 + random(2); times > 0 && next.length < 25; times--) next.splice(random(next.length + 1), 0, pick());
    if (random(3) === 0 && next.length > 0) {
      const at = random(next.length);
      const { group, name } = next[at] ?? pick();
      next[at] = skillAt(group, name);
    }
    const previous = snapshot;
    const wanted = previous.skills.map(({ group, name }) => previous.byPath.get([...group, name].join('/').toLowerCase()));
    skills = next;
    snapshot = atOnce(Snapshot.stepsTo([{ skills }], previous));
    const whole = atOnce(stepsToSkillSet([[...skills]], undefined));
    expect(snapshot.skills.map(({ identity }) => identity)).toEqual(whole.skills.map(({ identity }) => identity));
    expect(snapshot.shadowed.map(({ skill }) => skill.identity)).toEqual(whole.shadowed.map(({ skill }) => skill.identity));
    const keys = [
      ...groups.map((group) => group.join(':')),
      ...skills.map(qualifiedName),
      ...names,
      ...names.map((name) => `team:${name}`),
    ].map((key) => key.toLowerCase().trim());
    // One assertion for all keys: tens of thousands would take longer than what they check.
    const found = ({ byName, byPath }: Pick<Snapshot, 'byName' | 'byPath'>) =>
      keys.map((key) => `${key}: ${byName.get(key)?.identity}, ${byPath.get(key.replaceAll(':', '/'))?.identity}`);
    expect(found(snapshot)).toEqual(found(whole));
    const called = snapshot.skills.map((skill) => snapshot.byName.get(callName(snapshot, skill).toLowerCase().trim()));
    expect(called.every((skill, index) => skill === snapshot.skills[index])).toBe(true);
    // The one before still is what it was.
    expect(previous.skills.map(({ group, name }) => previous.byPath.get([...group, name].join('/').toLowerCase()))).toEqual(wanted);
  }
});

it('finds the first by name without sorting all, also after changes', () => {
  const random = numbers(3);
  const group: readonly string[] = [];
  const named = () => skillAt(group, `skill-${random(100_000)}`);
  let skills: readonly Skill[] = Array.from({ length: 500 }, named);
  for (let round = 0; round < 50; round++) {
    const sorted = skills.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
    const first = (location: string) => sorted.filter((skill) => skill.location === location).slice(0, 20);
    const found = firstByName(skills, { most: 20 });
    expect(found.project).toEqual(first('project'));
    expect(found.global).toEqual(first('global'));
    // The shortest beginning of the list whose names have so many characters.
    const { global } = firstByName(skills, { most: 100, characters: 150 });
    const length = (some: readonly Skill[]) => some.reduce((sum, { name }) => sum + name.length, 0);
    expect(global).toEqual(sorted.filter(({ location }) => location === 'global').slice(0, global.length));
    expect([length(global) >= 150, length(global.slice(0, -1)) >= 150]).toEqual([true, false]);
    skills = skills.flatMap((skill) => (random(50) > 0 ? [skill] : [named(), named()])).slice(-500);
  }
});
