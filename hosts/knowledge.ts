/** What a model knows of skills from a request: their names, and their descriptions. */
import type { CorpusSkill } from './corpus/skills.js';
import { stringsIn } from './json.js';

/** Characters of a token, about, in English text and JSON. */
const CHARACTERS_PER_TOKEN = 4;

export interface Knowledge {
  readonly named: number;
  /** Named, with the whole description. */
  readonly described: number;
}

/** Counts the skills that requests mention. */
export function knowledgeOf(requests: readonly unknown[], skills: readonly CorpusSkill[]): Knowledge {
  const text = textIn(requests);
  const named = skills.filter(({ name }) => occurrences(text, wholeWord(name)) > 0);
  const described = named.filter(({ description }) => occurrences(text, spellings(description)) > 0);
  return { named: named.length, described: described.length };
}

/** How often a request mentions a name. */
export function mentions(request: unknown, name: string): number {
  return occurrences(textIn([request]), wholeWord(name));
}

/** The tokens of a request, estimated from its length. */
export function tokensOf(request: unknown): number {
  return Math.round((JSON.stringify(request) ?? '').length / CHARACTERS_PER_TOKEN);
}

function textIn(requests: readonly unknown[]): string {
  return requests.flatMap(stringsIn).join('\n');
}

function occurrences(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

/** A name that is not a piece of a longer one. */
function wholeWord(name: string): RegExp {
  return new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`, 'g');
}

/** A description as it is, and as it is spelled in JSON or XML inside a text. */
function spellings(description: string): RegExp {
  const inJson = JSON.stringify(description).slice(1, -1);
  const inXml = description.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const inAttribute = inXml.replaceAll('"', '&quot;').replaceAll("'", '&apos;');
  return new RegExp([...new Set([description, inJson, inXml, inAttribute])].map(escaped).join('|'), 'g');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
