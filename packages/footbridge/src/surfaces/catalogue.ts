/** The list of skills inside the `skill` tool's description, kept within a budget. */

import { callName, perSnapshot, type Snapshot } from '../catalog/snapshot.js';
import type { Skill } from '../sources/source.js';

/** Characters inside the tags, as sent. */
export const CATALOGUE_BUDGET = 16_000;

/** A shorter description is useless. */
const SHORTEST = 40;

export interface Catalogue {
  readonly text: string;
  /** How many skills are named; the rest are only counted. */
  readonly named: number;
  readonly shortened: boolean;
}

/** The catalogue of a snapshot. */
export const catalogueOf = perSnapshot((snapshot) => buildCatalogue(snapshot, CATALOGUE_BUDGET));

/** Whole descriptions if they fit, else all shortened alike, else as many skills as fit and a count of the rest. */
export function buildCatalogue(snapshot: Snapshot, budget: number): Catalogue {
  const total = snapshot.skills.length;
  const entries = snapshot.skills.slice(0, Math.ceil(budget / SMALLEST_ENTRY)).map((skill) => entryOf(snapshot, skill));
  const whole = fill(entries, Number.POSITIVE_INFINITY, budget);
  if (whole.named === total) return whole;
  if (entries.length === total) {
    // Escapes make entries longer than estimated, so the first length may be too large.
    for (let longest = fairLength(entries, budget); longest >= SHORTEST; longest = Math.floor(longest * 0.95)) {
      const shortened = fill(entries, longest, budget);
      if (shortened.named === total) return shortened;
    }
  }
  const rest = (count: number) => `${count} more skills are not shown. Find them with list_skills({ query: "what you need" }).`;
  const some = fill(entries, SHORTEST, budget - onTransport(`\n${rest(total)}`));
  return { ...some, text: [some.text, rest(total - some.named)].filter((part) => part !== '').join('\n') };
}

interface Entry {
  readonly head: string;
  readonly description: string;
  readonly tail: string;
}

/** A skill with a longer name is only counted. */
const LONGEST_HEAD = 512;

/** The tags alone. */
const SMALLEST_ENTRY = 80;

function entryOf(snapshot: Snapshot, skill: Skill): Entry {
  return {
    head: `<skill>\n<name>${escapeXml(callName(snapshot, skill))}</name>\n<description>`,
    description: skill.description.replace(/\s+/g, ' '),
    tail: `</description>\n<location>${skill.location}</location>\n</skill>`,
  };
}

/** How long each description may be when shorter ones leave their unused share to the others. */
function fairLength(entries: readonly Entry[], budget: number): number {
  let room = budget - entries.reduce((sum, entry) => sum + onTransport(entry.head) + onTransport(entry.tail) + NEWLINE, 0);
  let sharing = entries.length;
  for (const length of entries.map((entry) => entry.description.length).sort((one, other) => one - other)) {
    if (length * sharing > room) break;
    room -= length;
    sharing--;
  }
  return Math.floor(room / Math.max(1, sharing));
}

function fill(entries: readonly Entry[], longest: number, budget: number): Catalogue {
  const texts: string[] = [];
  let used = 0;
  let shortened = false;
  for (const { head, description, tail } of entries) {
    const text = head + escapeXml(shorten(description, longest)) + tail;
    const cost = onTransport(text) + (texts.length === 0 ? 0 : NEWLINE);
    // A huge entry must not displace the others.
    if (head.length > LONGEST_HEAD || used + cost > budget) continue;
    used += cost;
    shortened ||= description.length > longest;
    texts.push(text);
  }
  return { text: texts.join('\n'), named: texts.length, shortened };
}

/** A line break inside a JSON string. */
const NEWLINE = 2;

/** A text on one line, cut at a word where it is too long. */
export function shorten(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest - 1).toWellFormed();
  const word = cut.lastIndexOf(' ');
  let end = word > longest / 2 ? word : cut.length;
  while (end > 0 && DANGLING.includes(cut[end - 1] ?? '')) end--;
  return `${cut.slice(0, end)}…`;
}

/** Removed before an ellipsis, half a character included. */
const DANGLING = ' ,;:.-\ufffd';

/** Length inside a JSON string, as it is sent. */
function onTransport(text: string): number {
  return JSON.stringify(text).length - 2;
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
