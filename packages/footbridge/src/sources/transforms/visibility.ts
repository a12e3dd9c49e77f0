/** Allow-lists of skills, resources, tools and prompts. */
import { matches, meet, SEGMENT } from '../../pattern.js';
import { decodeUri } from '../../uri-segment.js';
import { normalizeUri, type UriTemplate } from '../../uri-template.js';
import { isSkillUri, nameKey, qualifiedName, skillRoot, skillUri } from '../skill-uri.js';
import type { Skill } from '../source.js';

/** Patterns in which `*` matches any run of characters. What no pattern matches is hidden. */
export interface AllowLists {
  /** Names of skills with their folders, as `office:pdf`, or `skill://` URIs. */
  readonly skills?: readonly string[] | undefined;
  /** All other URIs. */
  readonly resources?: readonly string[] | undefined;
  /** Names of tools, ours and those of upstreams. */
  readonly tools?: readonly string[] | undefined;
  /** Names of prompts of upstreams. */
  readonly prompts?: readonly string[] | undefined;
}

/** A pattern for URIs, as written and percent-decoded. */
interface UriPattern {
  readonly encoded: string;
  readonly decoded: string;
}

/** Placeholders for variables without a value: one that may hold slashes, one that may not. */
const ANYTHING = 'anything-at-all';
const SOMETHING = 'something-or-other';

/** The union of several allow-lists. */
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

  /** A skill is visible with all its files, or not at all. */
  seesSkill(skill: Pick<Skill, 'group' | 'name'>): boolean {
    const names = [qualifiedName(skill), skillRoot(skill), skillUri(skill)].map(nameKey);
    return this.#skills.some(({ encoded }) => names.some((name) => matches(encoded, name)));
  }

  /** Checks a URI both as written and decoded. A URI with `..` is never visible, since the server decides where it leads. */
  seesUri(uri: string): boolean {
    const patterns = isSkillUri(uri) ? this.#skills : this.#resources;
    const encoded = isSkillUri(uri) ? nameKey(uri) : normalizeUri(uri);
    const decoded = decodeUri(encoded);
    if (decoded === undefined || isAmbiguous(decoded)) return false;
    return patterns.some((pattern) => matches(pattern.encoded, encoded) && matches(pattern.decoded, decoded));
  }

  /** Whether some URI of this template may be visible; `SEGMENT` and `*` in it stand for variables, too. */
  seesSomeOf(uriTemplate: string): boolean {
    const shape = shapeOf(uriTemplate);
    return isSkillUri(uriTemplate)
      ? this.#skills.some(({ encoded }) => meet(encoded, nameKey(shape)))
      : this.#resources.some(({ encoded }) => meet(encoded, normalizeUri(shape)));
  }

  /** Whether some URI with this value of a variable may be visible. */
  seesSomeWith(template: UriTemplate, variable: string, value: string): boolean {
    const others = Object.fromEntries(template.variables.map(({ name, spansSegments }) => [name, spansSegments ? ANYTHING : SOMETHING]));
    const expanded = template.expand({ ...others, [variable]: value });
    if (isAmbiguous(decodeUri(expanded) ?? '')) return false;
    return this.seesSomeOf(expanded.replaceAll(ANYTHING, '*').replaceAll(SOMETHING, SEGMENT));
  }

  seesTool(name: string): boolean {
    return this.#tools.some((pattern) => matches(pattern, name));
  }

  seesPrompt(name: string): boolean {
    return this.#prompts.some((pattern) => matches(pattern, name));
  }

  /** Whether anything of an upstream that has not listed anything yet may be visible. */
  maySeeSomeOf(upstream: string): boolean {
    return [...this.#tools, ...this.#prompts].some((pattern) => meet(pattern, `${upstream}__*`));
  }
}

/** How often a URI may be encoded: a server may decode it again. */
const MAX_ENCODED = 4;
// Servers that parse URIs with `URL` drop control characters and white space around it.
const AMBIGUOUS = /\p{Cc}|^\s|\s$|(?:^|[/\\])\.\.?(?:$|[/\\?#])/u;

/** Whether the target of a decoded URI depends on its reader, which may decode it once more. */
function isAmbiguous(decoded: string): boolean {
  let text = decoded;
  for (let times = 0; times < MAX_ENCODED; times++) {
    if (AMBIGUOUS.test(text)) return true;
    const again = decodeUri(text);
    if (again === undefined || again === text) return false;
    text = again;
  }
  return true;
}

function uriPattern(pattern: string): UriPattern {
  return { encoded: pattern, decoded: decodeUri(pattern) ?? pattern };
}

/** The template with each expression replaced by what its value may be. An expression ends at the first `}`. */
function shapeOf(uriTemplate: string): string {
  const parts = uriTemplate.split('}');
  const last = parts.pop() ?? '';
  const shapes = parts.map((part) => {
    const at = part.indexOf('{');
    return at === -1 ? `${part}}` : part.slice(0, at) + (/[+#/?&;]/.test(part.charAt(at + 1)) ? '*' : SEGMENT);
  });
  return shapes.join('') + last;
}
