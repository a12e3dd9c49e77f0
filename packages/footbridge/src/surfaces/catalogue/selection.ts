/** Which skills a catalogue names and describes within its budget. */
import type { Snapshot } from '../../catalog/snapshot.js';
import { resourceListingOf } from '../discovery.js';
import { CATALOGUE_BUDGET, type HostView } from '../hosts/view.js';
import { promptListingOf } from '../prompt-discovery.js';
import { searchedTools } from '../tool-search/listing.js';
import {
  bytesInJson,
  type CatalogueEntry,
  charactersInJson,
  describedWithin,
  FEW,
  fitsWithin,
  type NameIndex,
  nameIndex,
  namesWithin,
  type Ruler,
} from './entries.js';
import { rankedSkills } from './ranked.js';

/** Where the entries go, and how many characters the host shows there. */
export interface Places {
  /** Of an index of names that comes before the entries; 0 without one. */
  readonly index: number;
  readonly entries: number;
  /** What stands around the entries that have to share the budget. */
  readonly around: number;
}

export interface Selection {
  /** Names of the first entries. */
  readonly index: NameIndex;
  /** What an index may take. */
  readonly indexRoom: number;
  /** Those that are named. */
  readonly entries: readonly CatalogueEntry[];
  /** Positions of those with their description. */
  readonly described: ReadonlySet<number>;
}

/** Every skill with its description, if they fit; else as the budget allows. */
export function selectSkills(snapshot: Snapshot, view: HostView, places: Places): Selection {
  const ranked = rankedSkills(snapshot, view);
  const { lengthOf, shared, whole } = spaceOf(snapshot, view, ranked.total, places.entries);
  const indexRoom = Math.min(places.index, Math.min(view.budget, places.entries) * NAMES_SHARE);
  const select = (room: number, most = Number.POSITIVE_INFINITY): Selection => {
    // Where the whole list is known to be shown, no name is repeated at the expense of a description.
    const repeats = room === Number.POSITIVE_INFINITY || view.profile.isGuess === true;
    const index = repeats ? nameIndex(snapshot, ranked, indexRoom) : NO_INDEX;
    const left = room - lengthOf(index.text) - places.around;
    const space = { elsewhere: index.names, lengthOf };
    const entries = namesWithin(snapshot, ranked.first, { ...space, room: left * NAMES_SHARE }, view.usage?.names);
    return { index, indexRoom, entries, described: describedWithin(entries, { ...space, room: left }, most) };
  };
  if (fitsWithin(snapshot, ranked, whole, lengthOf)) return select(Number.POSITIVE_INFINITY);
  const within = select(shared);
  if (within.described.size >= FEW) return within;
  const selection = shared < whole ? select(whole) : within;
  const isEnough = selection.described.size >= FEW || ranked.total > SOME || view.budget < CATALOGUE_BUDGET;
  return isEnough || view.profile.isGuess === true ? selection : select(Math.min(view.budget + EXTRA, places.entries), FEW);
}

/** With up to so many skills, a measured host is shown a few with their descriptions, even if that takes a little more. */
const SOME = 200;
const EXTRA = 4000;

const NO_INDEX: NameIndex = { text: '', names: 0 };
/** What names without a description may take, so that some skills are described however many there are. */
const NAMES_SHARE = 0.5;

interface Space {
  readonly lengthOf: Ruler;
  /** For all skills with their descriptions, or for as many as possible where few fit. */
  readonly whole: number;
  /** For entries that have to share. */
  readonly shared: number;
}

/** Characters; for many skills bytes, so that the list of tools stays short in every script, whatever else it has. */
function spaceOf(snapshot: Snapshot, view: HostView, total: number, shown: number): Space {
  const { budget } = view;
  const list = TOOL_LIST + Math.max(0, budget - CATALOGUE_BUDGET);
  const whole = Math.min(budget, shown);
  if (total <= MANY) return { lengthOf: charactersInJson, whole, shared: Math.min(whole, list - OTHER_TOOLS) };
  const isSearching = searchedTools(snapshot, view).size > 0;
  const others = isSearching ? SEARCHING_TOOLS : OTHER_TOOLS + listingBytes(snapshot, view);
  const bytes = Math.min(whole, list - others - AROUND_LIST);
  return { lengthOf: bytesInJson, whole: bytes, shared: bytes };
}

/** What descriptions of tools have of resources and prompts. */
function listingBytes(snapshot: Snapshot, { profile }: HostView): number {
  const resources = resourceListingOf(snapshot, profile.isGuess === true ? Number.POSITIVE_INFINITY : profile.toolDescription);
  const prompts = snapshot.prompts.length === 0 ? 0 : PROMPT_TOOL + bytesInJson(promptListingOf(snapshot));
  return bytesInJson(resources) + prompts;
}

/** Characters of the whole list of tools, with the default budget. */
const TOOL_LIST = 20_000;
/** Those without the entries of the catalogue, and without listings of resources and prompts. */
const OTHER_TOOLS = 4850;
/** The same where tools are searched for, with those listings. */
const SEARCHING_TOOLS = 8000;
/** Of `get_prompt` without its listing. */
const PROMPT_TOOL = 600;
/** The answer around the list, and its `_meta`. */
const AROUND_LIST = 300;
const MANY = 500;
