/** The list of skills that a model sees before its first call, placed where its host shows it. */
import { callName, type Snapshot } from '../../catalog/snapshot.js';
import { contractText } from '../contract-text.js';
import { nativeSkills } from '../hosts/native.js';
import { type HostView, perView } from '../hosts/view.js';
import { escapeXml, oneLine } from '../text.js';
import { charactersInJson, MAX_NAME_LENGTH, nameIndex, namesOnLine } from './entries.js';
import { rankedSkills } from './ranked.js';
import { selectSkills } from './selection.js';

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
  const native = nativeSkills(snapshot, view);
  const total = snapshot.skills.length - native.size;
  // With nothing but skills that the host reads itself, an empty list would mean that there are none.
  if (total > budget / SMALLEST_ENTRY || (total === 0 && native.size > 0)) return undefined;
  const skills = snapshot.skills.filter((skill) => !native.has(skill));
  if (skills.some(({ name }) => name.length > MAX_NAME_LENGTH)) return undefined;
  const entries = skills.map(
    (skill) =>
      `<skill>\n<name>${escapeXml(callName(snapshot, skill))}</name>\n<description>${escapeXml(oneLine(skill.description))}</description>\n<location>${skill.location}</location>\n</skill>`,
  );
  const inside = entries.join('\n');
  const counts = { entries: inside, total, named: total, described: total };
  if (charactersInJson(inside) > budget) return undefined;
  const description = contractText(inside);
  if (description.length <= profile.toolDescription) return { description, parameter: PARAMETER, ...counts };
  if (profile.isGuess !== true) return undefined;
  // What this host cuts is a guess, and no reason to leave the contract; but the names come first.
  const { text } = nameIndex(snapshot, rankedSkills(snapshot, view), profile.toolDescription - contractText('').length, escapeXml);
  return { description: contractText(`${text.trimStart()}\n${inside}`), parameter: PARAMETER, ...counts };
}

/** The tags alone. */
const SMALLEST_ENTRY = 80;

/** One line a skill: whole descriptions for as many as the budget allows, names for the others, a count of the rest. */
function compact(snapshot: Snapshot, view: HostView, most = Number.POSITIVE_INFINITY): Catalogue {
  const { parameterDescription, toolDescription } = view.profile;
  const { total } = rankedSkills(snapshot, view);
  const inParameter = parameterDescription > toolDescription;
  const intro = introduction(total === 0 ? undefined : inParameter ? 'under the parameter `name`' : 'below');
  const shown = (inParameter ? parameterDescription - PARAMETER.length : toolDescription - intro.length) - FRAME;
  const { described, entries, index, indexRoom } = selectSkills(snapshot, view, {
    index: inParameter ? toolDescription - intro.length : 0,
    entries: Math.min(shown, most),
    around: INDEX.length + OTHERS.length + counted(total).length,
  });
  const lines = entries.flatMap(({ name, description }, at) => (described.has(at) ? [`- ${name}: ${description}`] : []));
  const names = entries.flatMap(({ name }, at) => (described.has(at) || at < index.names ? [] : [name]));
  const inIndex = index.names === 0 ? namesOnLine(names, indexRoom - INDEX.length) : 0;
  const outline = inIndex === 0 ? index.text : `${INDEX}${names.slice(0, inIndex).join(', ')}`;
  const others = names.slice(inIndex);
  const rest = total - entries.length;
  const body = [...lines, ...(others.length === 0 ? [] : [`${OTHERS}${others.join(', ')}`]), ...(rest > 0 ? [counted(rest)] : [])].join(
    '\n',
  );
  const counts = {
    entries: [outline, body].filter((text) => text !== '').join('\n'),
    total,
    named: entries.length,
    described: described.size,
  };
  if (inParameter) return { description: `${intro}${outline}`, parameter: body === '' ? PARAMETER : `${PARAMETER}:\n${body}`, ...counts };
  return {
    description: body === '' ? intro : `${intro}\n<available_skills>\n${body}\n</available_skills>`,
    parameter: PARAMETER,
    ...counts,
  };
}

const OTHERS = 'Without description: ';
const INDEX = `\n${OTHERS}`;
/** Tags and headings around the entries. */
const FRAME = 80;

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

/** `place` is where the skills are listed. */
function introduction(place: string | undefined): string {
  const what = 'Load a skill: instructions for one kind of task, with the knowledge and files it takes.';
  const check = place === undefined ? '' : ` Before you start a task, check whether one of the skills ${place} fits.`;
  return `${what}${check} ${place === undefined ? 'Load one' : 'If so, load it'} with { "name": "<skill name>" } and follow it. Load a skill once${SEARCHES}.`;
}
