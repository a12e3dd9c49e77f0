/** The list of skills that a model sees before its first call, placed where its host shows it. */

import { firstByName, stepsToFirstByName, type Wanted } from '../catalog/first-by-name.js';
import { callName, type Snapshot } from '../catalog/snapshot.js';
import type { Skill } from '../sources/source.js';
import { inTurns } from '../turns.js';
import { contractText } from './contract-text.js';
import { nativeSkills } from './hosts/native.js';
import { type HostView, perView } from './hosts/view.js';

export interface Catalogue {
  /** Of the tool `skill`. */
  readonly description: string;
  /** Of its parameter `name`. */
  readonly parameter: string;
  /** All that is about single skills, wherever it is placed. */
  readonly entries: string;
  /** Skills that the catalogue is about: all but those that the host reads itself. */
  readonly total: number;
  readonly named: number;
  /** Those with their whole description. */
  readonly described: number;
}

/** The catalogue of a snapshot for a host. */
export const catalogueOf = perView((snapshot, view): Catalogue => contracted(snapshot, view) ?? compact(snapshot, view));

/** The same in few words, however few skills there are. */
export const briefCatalogueOf = perView((snapshot, view): Catalogue => compact(snapshot, view, BRIEF_BUDGET));

/** Characters of its entries. */
const BRIEF_BUDGET = 600;

/** The skills of the catalogue. */
export interface RankedSkills {
  /** By importance: project before global, those used most first, then by name. At least as many as a catalogue can name. */
  readonly first: readonly Skill[];
  readonly total: number;
}

export const rankedSkills = perView((snapshot, view): RankedSkills => {
  const { native, others, used, wanted } = candidatesOf(snapshot, view);
  const { global, project } = firstByName(snapshot.skills, wanted);
  const [usedInProject, usedElsewhere] = [true, false].map((isProject) =>
    used.filter(({ location }) => (location === 'project') === isProject),
  );
  const rest = (skills: readonly Skill[]) => (others.size === 0 ? skills : skills.filter((skill) => !others.has(skill)));
  return {
    first: [...(usedInProject ?? []), ...rest(project), ...(usedElsewhere ?? []), ...rest(global)],
    total: snapshot.skills.length - native.size,
  };
});

/** Finds the first skills for `rankedSkills` in slices, where there are many; undefined where there are few. */
export function prepareCatalogue(snapshot: Snapshot, ...views: readonly HostView[]): Promise<unknown> | undefined {
  if (snapshot.skills.length < MANY_SKILLS) return undefined;
  return Promise.all(views.map((view) => inTurns(stepsToFirstByName(snapshot.skills, candidatesOf(snapshot, view).wanted), 'call')));
}

/** Fewer are looked through in a few milliseconds. */
const MANY_SKILLS = 2000;

const candidatesOf = perView((snapshot, view) => {
  const native = nativeSkills(snapshot, view);
  const used = [...new Set((view.usage?.names ?? []).flatMap((name) => snapshot.byName.get(name) ?? []))].filter(
    (skill) => !native.has(skill),
  );
  // Those of the host's own, and those used most, may be among the first by name.
  const most = mostNamed(view.budget) + native.size + used.length;
  const others = new Set([...native, ...used]);
  // A name is listed twice at most: where a host shows it at once, and in a parameter.
  const characters = [...others].reduce((sum, { name }) => sum + name.length, 2 * view.budget);
  const wanted: Wanted = { most, characters };
  return { native, used, others, wanted };
});

/** The least that a name takes in a catalogue, with what parts it from the next. */
const SMALLEST_NAME = 3;

function mostNamed(budget: number): number {
  return Math.ceil(budget / SMALLEST_NAME);
}

const PARAMETER = 'Name of the skill to load (case-insensitive)';

/** The form of the contract, with every skill; undefined where it is too long for this host or for the budget. */
function contracted(snapshot: Snapshot, view: HostView): Catalogue | undefined {
  const { budget, profile } = view;
  if (snapshot.skills.length > budget / SMALLEST_ENTRY) return undefined;
  const native = nativeSkills(snapshot, view);
  const skills = snapshot.skills.filter((skill) => !native.has(skill));
  if (skills.some(({ name }) => name.length > MAX_NAME_LENGTH)) return undefined;
  const entries = skills.map(
    (skill) =>
      `<skill>\n<name>${escapeXml(callName(snapshot, skill))}</name>\n<description>${escapeXml(oneLine(skill.description))}</description>\n<location>${skill.location}</location>\n</skill>`,
  );
  const inside = entries.join('\n');
  const counts = { entries: inside, total: skills.length, named: skills.length, described: skills.length };
  if (lengthInJson(inside) > budget) return undefined;
  const description = contractText(inside);
  if (description.length <= profile.toolDescription) return { description, parameter: PARAMETER, ...counts };
  if (profile.isGuess !== true) return undefined;
  // What this host cuts is a guess, and no reason to leave the contract; but the names come first.
  const { text } = nameIndex(snapshot, rankedSkills(snapshot, view), profile.toolDescription - contractText('').length);
  return { description: contractText(`${text.trimStart()}\n${inside}`), parameter: PARAMETER, ...counts };
}

/** The tags alone. */
const SMALLEST_ENTRY = 80;
/** A skill with a longer name is only counted; the standard allows 64. */
const MAX_NAME_LENGTH = 128;
/** Shorter descriptions come first, so that a few long ones do not displace many. */
const LONG_DESCRIPTION = 320;

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly isProject: boolean;
  readonly isUsed: boolean;
}

/** One line a skill: whole descriptions for as many as the budget allows, names for the others, a count of the rest. */
function compact(snapshot: Snapshot, view: HostView, most = Number.POSITIVE_INFINITY): Catalogue {
  const { profile } = view;
  const budget = Math.min(view.budget, most);
  const ranked = rankedSkills(snapshot, view);
  const inParameter = profile.parameterDescription > profile.toolDescription;
  const intro = introduction(inParameter);
  const outline = inParameter
    ? nameIndex(snapshot, ranked, Math.min(budget, profile.toolDescription - intro.length))
    : { text: '', names: 0 };
  const shown = inParameter ? profile.parameterDescription - PARAMETER.length : profile.toolDescription - intro.length;
  const room = Math.min(budget, shown - FRAME);
  const left = isWithin(snapshot, ranked, room)
    ? Number.POSITIVE_INFINITY
    : room * SHARED - lengthInJson(outline.text) - lengthInJson(counted(ranked.total));
  const entries = namesWithin(snapshot, ranked.first, left * NAMES_SHARE, outline.names, view.usage?.names);
  const described = describedWithin(entries, left, outline.names);
  const lines = entries.flatMap(({ name, description }, index) => (described.has(index) ? [`- ${name}: ${description}`] : []));
  const others = entries.flatMap(({ name }, index) => (described.has(index) || index < outline.names ? [] : [name]));
  const rest = ranked.total - entries.length;
  const body = [...lines, ...(others.length === 0 ? [] : [`${OTHERS}${others.join(', ')}`]), ...(rest > 0 ? [counted(rest)] : [])].join(
    '\n',
  );
  const counts = {
    entries: [outline.text, body].filter((text) => text !== '').join('\n'),
    total: ranked.total,
    named: entries.length,
    described: described.size,
  };
  if (inParameter)
    return { description: `${intro}${outline.text}`, parameter: body === '' ? PARAMETER : `${PARAMETER}:\n${body}`, ...counts };
  return {
    description: body === '' ? intro : `${intro}\n<available_skills>\n${body}\n</available_skills>`,
    parameter: PARAMETER,
    ...counts,
  };
}

/** What names without a description may take, so that some skills are described however many there are. */
const NAMES_SHARE = 0.5;
const OTHERS = 'Without description: ';
/** Tags and headings around the entries. */
const FRAME = 80;
/** Entries that have to share the budget leave some of it to the text around them, so that the whole list of tools stays short. */
const SHARED = 0.93;

/** Where `list_skills` is mentioned. */
const FIND = ' Find them with list_skills({ query: "what you need" }).';
const SEARCHES = '; `list_skills` searches all of them';

/** A text of the catalogue, for hosts that are not offered `list_skills`. */
export function withoutSearch(text: string): string {
  return text.replace(SEARCHES, '').replace(FIND, '');
}

function counted(rest: number): string {
  return `${rest} more skills are not shown.${FIND}`;
}

/** The names that fit on one line, the most important first. */
export function nameIndex(
  snapshot: Snapshot,
  { first, total }: RankedSkills,
  room: number,
): { readonly text: string; readonly names: number } {
  const head = '\nSkills: ';
  const names: string[] = [];
  let used = head.length + ', and 100000 more.'.length;
  for (const skill of first) {
    const name = callName(snapshot, skill);
    if (name.length > MAX_NAME_LENGTH) continue;
    if (used + name.length + 2 > room) break;
    used += name.length + 2;
    names.push(name);
  }
  if (names.length === 0) return { text: '', names: 0 };
  const rest = total - names.length;
  return { text: `${head}${names.join(', ')}${rest === 0 ? '.' : `, and ${rest} more.`}`, names: names.length };
}

/** Whether every skill can have its whole description. */
function isWithin(snapshot: Snapshot, { first, total }: RankedSkills, room: number): boolean {
  let left = room;
  return (
    first.length === total &&
    first.every((skill) => {
      left -= lengthInJson(lineOf({ name: callName(snapshot, skill), description: oneLine(skill.description) }));
      return left >= 0;
    })
  );
}

/** With its line break. */
function lineOf({ description, name }: Pick<Entry, 'description' | 'name'>): string {
  return `- ${name}: ${description}\n`;
}

/** The skills that can be named, in order; the first ones are named elsewhere already. */
function namesWithin(
  snapshot: Snapshot,
  ranked: readonly Skill[],
  room: number,
  elsewhere: number,
  usedNames: readonly string[] = [],
): readonly Entry[] {
  const entries: Entry[] = [];
  const usedSkills = new Set(usedNames.map((name) => snapshot.byName.get(name)));
  let used = 0;
  for (const skill of ranked) {
    const name = callName(snapshot, skill);
    if (name.length > MAX_NAME_LENGTH) continue;
    const cost = entries.length < elsewhere ? 0 : lengthInJson(name) + 2;
    if (cost > 0 && used + cost > room) break;
    used += cost;
    const isProject = skill.location === 'project';
    entries.push({ name, description: withoutTag(oneLine(skill.description)), isProject, isUsed: usedSkills.has(skill) });
  }
  return entries;
}

/** Which entries have their description: in order, but of the unused ones in the project, and of the others, long ones last. */
function describedWithin(entries: readonly Entry[], room: number, elsewhere: number): ReadonlySet<number> {
  const described = new Set<number>();
  const nameCost = (index: number) => (index < elsewhere ? 0 : lengthInJson(entries[index]?.name ?? '') + 2);
  let left = room - entries.reduce((sum, _entry, index) => sum + nameCost(index), 0);
  const take = (accepts: (entry: Entry) => boolean) => {
    for (const [index, entry] of entries.entries()) {
      if (described.has(index) || !accepts(entry)) continue;
      const cost = lengthInJson(lineOf(entry)) - nameCost(index);
      if (cost > left) continue;
      left -= cost;
      described.add(index);
    }
  };
  for (const isProject of [true, false]) {
    take((entry) => entry.isProject === isProject && (entry.isUsed || entry.description.length <= LONG_DESCRIPTION));
    take((entry) => entry.isProject === isProject);
  }
  return described;
}

function introduction(inParameter: boolean): string {
  const place = inParameter ? 'under the parameter `name`' : 'below';
  return `Load a skill: instructions for one kind of task, with the knowledge and files it takes. Before you start a task, check whether one of the skills ${place} fits. If so, load it with { "name": "<skill name>" } and follow it. Load a skill once${SEARCHES}.`;
}

/** Nothing in a description ends the list. */
function withoutTag(text: string): string {
  return text.replace(/<(?=\/available_skills)/gi, '&lt;');
}

/** With white space collapsed. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A text on one line, cut at a word where it is too long. */
export function shorten(text: string, longest: number): string {
  // Of a very long one only the beginning is looked at.
  const start = text.slice(0, MOST_WHITE * longest);
  const line = oneLine(start);
  if (line.length <= longest && start.length === text.length) return line;
  const cut = line.slice(0, longest - 1).toWellFormed();
  const word = cut.lastIndexOf(' ');
  let end = word > longest / 2 ? word : cut.length;
  while (end > 0 && DANGLING.includes(cut[end - 1] ?? '')) end--;
  return `${cut.slice(0, end)}…`;
}

/** Characters, white space included, for each one that is shown. */
const MOST_WHITE = 16;
/** Removed before an ellipsis, half a character included. */
const DANGLING = ' ,;:.-\ufffd';

/** Bytes as it is sent, in a JSON string: characters of most scripts take several. */
function lengthInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
