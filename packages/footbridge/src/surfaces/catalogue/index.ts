/** The list of skills that a model sees before its first call, placed where its host shows it. */
import { callName, type Snapshot } from '../../catalog/snapshot.js';
import { contractText } from '../contract-text.js';
import { nativeSkills } from '../hosts/native.js';
import { type HostView, perView } from '../hosts/view.js';
import { escapeXml, oneLine } from '../text.js';
import { describedWithin, isWithin, lengthInJson, MAX_NAME_LENGTH, nameIndex, namesWithin } from './entries.js';
import { rankedSkills } from './ranked.js';

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

function introduction(inParameter: boolean): string {
  const place = inParameter ? 'under the parameter `name`' : 'below';
  return `Load a skill: instructions for one kind of task, with the knowledge and files it takes. Before you start a task, check whether one of the skills ${place} fits. If so, load it with { "name": "<skill name>" } and follow it. Load a skill once${SEARCHES}.`;
}
