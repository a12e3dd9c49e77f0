/** Prompts of upstreams, for models: built once for each snapshot. */
import type { Snapshot } from '../catalog/snapshot.js';
import { isFields } from '../json.js';
import type { UpstreamPrompt } from '../sources/source.js';
import { perView } from './hosts/view.js';
import { roomFor } from './parts/page.js';
import { shorten } from './text.js';

interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

/** One prompt, as discovery shows it. */
export interface PromptMetadata {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
  /** The upstream it comes from, where there are several. */
  readonly origin?: string;
}

export interface PromptDiscovery {
  readonly prompts: readonly PromptMetadata[];
  /** How many are only counted. */
  readonly left: number;
}

/** Characters of all prompts, as the structure has them. */
const BUDGET = 16_000;
/** The length of descriptions where not all fit. */
const SHORT = 80;

/** Whole descriptions if they fit, else shortened ones, and past that as many prompts as fit and a count of the rest. */
export const promptDiscoveryOf = perView(({ prompts, upstreams }, { profile }): PromptDiscovery => {
  const budget = Math.min(BUDGET, roomFor(profile));
  const several = upstreams.length > 1;
  const whole = fill(prompts, budget, (prompt) => toMetadata(prompt, several));
  return whole.left === 0 ? whole : fill(prompts, budget, (prompt) => shortened(toMetadata(prompt, several)));
});

function fill(all: readonly UpstreamPrompt[], budget: number, show: (prompt: UpstreamPrompt) => PromptMetadata): PromptDiscovery {
  const prompts: PromptMetadata[] = [];
  let used = 0;
  let misses = 0;
  for (const each of all) {
    const prompt = show(each);
    // A huge prompt must not displace the others.
    const cost = isLonger(prompt, budget) ? budget + 1 : Buffer.byteLength(JSON.stringify(prompt));
    if (used + cost <= budget) {
      used += cost;
      prompts.push(prompt);
    } else if (++misses > MAX_MISSES) break;
  }
  return { prompts, left: all.length - prompts.length };
}

/** How many that do not fit are looked at: there may be very many. */
const MAX_MISSES = 256;

/** Whether its texts alone take more. */
function isLonger({ description = '', title = '', arguments: taken }: PromptMetadata, most: number): boolean {
  const about = taken.reduce((sum, each) => sum + each.name.length + (each.description?.length ?? 0), 0);
  return title.length + description.length + about > most;
}

function shortened(prompt: PromptMetadata): PromptMetadata {
  return { ...prompt, ...briefly(prompt), arguments: prompt.arguments.map((each) => ({ ...each, ...briefly(each) })) };
}

function briefly({ description }: { readonly description?: string }): { readonly description?: string } {
  return description === undefined ? {} : { description: shorten(description, SHORT) };
}

function toMetadata({ entry, upstream }: UpstreamPrompt, several: boolean): PromptMetadata {
  return {
    name: entry.name,
    ...textField('title', entry.title),
    ...textField('description', entry.description),
    arguments: argumentsOf(entry),
    ...(several ? { origin: upstream.name } : {}),
  };
}

/** A prompt's arguments, as its server listed them: fields may have other types. */
export function argumentsOf({ arguments: listed }: { readonly arguments?: unknown }): readonly PromptArgument[] {
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((each: unknown) =>
    isFields(each) && typeof each['name'] === 'string'
      ? [{ name: each['name'], ...textField('description', each['description']), required: each['required'] === true }]
      : [],
  );
}

function textField<K extends string>(key: K, value: unknown): Partial<Record<K, string>> {
  const field: Partial<Record<K, string>> = {};
  if (typeof value === 'string') field[key] = value;
  return field;
}

/** Characters of the list of prompts in a tool's description. */
const LISTING_BUDGET = 1500;

/** The names for a tool's description, with their arguments. */
export function promptListingOf({ prompts }: Snapshot, room = LISTING_BUDGET): string {
  const callOf = (name: string, at: number) => {
    const taken = argumentsOf(prompts[at]?.entry ?? {}).map((each) => (each.required ? each.name : `${each.name}?`));
    return taken.length === 0 ? name : `${name}(${taken.join(', ')})`;
  };
  const names = prompts.map(({ entry }) => entry.name);
  return withinBudget(names, (left) => `${left} more: call get_prompt() without arguments`, room, callOf);
}

/** As many names as fit, as they are shown, and a count of the rest. */
export function withinBudget(
  names: readonly string[],
  rest: (left: number) => string,
  room = LISTING_BUDGET,
  show = (name: string, _at: number) => name,
): string {
  const listed: string[] = [];
  let used = 0;
  let misses = 0;
  for (const [at, name] of names.entries()) {
    const shown = show(name, at);
    if (used + shown.length + 2 <= room) {
      used += shown.length + 2;
      listed.push(shown);
    } else if (++misses > MAX_MISSES) break;
  }
  return (listed.length === names.length ? listed : [...listed, rest(names.length - listed.length)]).join(', ');
}
