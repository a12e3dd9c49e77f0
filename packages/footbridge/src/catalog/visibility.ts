/** What somebody sees: allow-lists of skills, resources, tools and prompts. */
import { matches, meet, SEGMENT } from '../pattern.js';
import type { Skill } from '../sources/source.js';
import { normalizeUri, type UriTemplate } from '../uri-template.js';
import { isSkillUri, nameKey, skillRoot, skillUri } from './skill-uri.js';
import { qualifiedName } from './snapshot.js';

/** Patterns in which `*` stands for any run of characters. What is not listed is not seen. */
export interface AllowLists {
  /** Names of skills with their folders, as `office:pdf`, or `skill://` URIs. */
  readonly skills?: readonly string[] | undefined;
  /** All other URIs. */
  readonly resources?: readonly string[] | undefined;
  /** Names of tools, ours and those of servers behind us. */
  readonly tools?: readonly string[] | undefined;
  /** Names of prompts of servers behind us. */
  readonly prompts?: readonly string[] | undefined;
}

/** A pattern for URIs, and the same for URIs whose encoding is undone. */
interface UriPattern {
  readonly encoded: string;
  readonly decoded: string;
}

/** They stand for variables that have no value yet: with slashes in it, or without. */
const ANYTHING = 'anything-at-all';
const SOMETHING = 'something-or-other';

/** Answers for several allow-lists together: what one of them lists is seen. */
export class Visibility {
  readonly #skills: readonly UriPattern[];
  readonly #resources: readonly UriPattern[];
  readonly #tools: readonly string[];
  readonly #prompts: readonly string[];

  constructor(lists: readonly AllowLists[]) {
    this.#skills = lists.flatMap(({ skills = [] }) => skills.map((pattern) => uriPattern(nameKey(pattern))));
    this.#resources = lists.flatMap(({ resources = [] }) => resources.map(uriPattern));
    this.#tools = lists.flatMap(({ tools = [] }) => tools);
    this.#prompts = lists.flatMap(({ prompts = [] }) => prompts);
  }

  /** A skill is seen with all its files, or not at all. */
  seesSkill(skill: Skill): boolean {
    const names = [qualifiedName(skill), skillRoot(skill), skillUri(skill)].map(nameKey);
    return this.#skills.some(({ encoded }) => names.some((name) => matches(encoded, name)));
  }

  /** However it is written, and never one that leads up a folder, since nobody knows to where. */
  seesUri(uri: string): boolean {
    const patterns = isSkillUri(uri) ? this.#skills : this.#resources;
    const encoded = isSkillUri(uri) ? nameKey(uri) : normalizeUri(uri);
    const decoded = decode(encoded);
    // Servers that look at a URI through `URL` leave out what no URI may hold.
    if (decoded === undefined || /[\p{Cc}]|^\s|\s$|(^|[/\\])\.\.?($|[/\\?#])/u.test(decoded)) return false;
    return patterns.some((pattern) => matches(pattern.encoded, encoded) && matches(pattern.decoded, decoded));
  }

  /** Whether there may be a URI of this template that is seen; `SEGMENT` and `*` in it stand for variables, too. */
  seesSomeOf(uriTemplate: string): boolean {
    const shape = uriTemplate.replace(/\{([+#/?&;]?)[^}]*\}/g, (_, operator: string) => (operator === '' ? SEGMENT : '*'));
    return isSkillUri(uriTemplate)
      ? this.#skills.some(({ encoded }) => meet(encoded, nameKey(shape)))
      : this.#resources.some(({ encoded }) => meet(encoded, normalizeUri(shape)));
  }

  /** Whether a value of a variable leads to some URI that is seen. */
  seesSomeWith(template: UriTemplate, variable: string, value: string): boolean {
    const others = Object.fromEntries(template.variables.map(({ name, spansSegments }) => [name, spansSegments ? ANYTHING : SOMETHING]));
    const expanded = template.expand({ ...others, [variable]: value });
    return this.seesSomeOf(expanded.replaceAll(ANYTHING, '*').replaceAll(SOMETHING, SEGMENT));
  }

  seesTool(name: string): boolean {
    return this.#tools.some((pattern) => matches(pattern, name));
  }

  seesPrompt(name: string): boolean {
    return this.#prompts.some((pattern) => matches(pattern, name));
  }

  /** Whether something of a server may be seen of which nothing is known but how it is called. */
  maySeeSomeOf(server: string): boolean {
    return [...this.#tools, ...this.#prompts].some((pattern) => meet(pattern, `${server}__*`));
  }
}

function uriPattern(pattern: string): UriPattern {
  return { encoded: pattern, decoded: decode(pattern) ?? pattern };
}

function decode(uri: string): string | undefined {
  try {
    return decodeURIComponent(uri);
  } catch {
    return undefined;
  }
}
