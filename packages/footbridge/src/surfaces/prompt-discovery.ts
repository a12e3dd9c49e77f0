/** Prompts of upstreams, for models: built once for each snapshot. */
import type { Snapshot } from '../catalog/snapshot.js';
import { isFields } from '../json.js';
import type { UpstreamPrompt } from '../sources/source.js';
import { shorten } from './catalogue.js';
import { perView } from './hosts/view.js';
import { roomFor } from './parts/page.js';

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
  const all = prompts.map((prompt) => toMetadata(prompt, upstreams.length > 1));
  const whole = fill(all, budget);
  return whole.left === 0 ? whole : fill(all.map(shortened), budget);
});

function fill(all: readonly PromptMetadata[], budget: number): PromptDiscovery {
  let used = 0;
  const prompts = all.filter((prompt) => {
    const cost = Buffer.byteLength(JSON.stringify(prompt));
    // A huge prompt must not displace the others.
    if (used + cost > budget) return false;
    used += cost;
    return true;
  });
  return { prompts, left: all.length - prompts.length };
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
  const calls = prompts.map(({ entry }) => {
    const taken = argumentsOf(entry).map(({ name, required }) => (required ? name : `${name}?`));
    return taken.length === 0 ? entry.name : `${entry.name}(${taken.join(', ')})`;
  });
  return withinBudget(calls, (left) => `${left} more: call get_prompt() without arguments`, room);
}

/** As many names as fit, and a count of the rest. */
export function withinBudget(names: readonly string[], rest: (left: number) => string, room = LISTING_BUDGET): string {
  let used = 0;
  const listed = names.filter((name) => {
    if (used + name.length + 2 > room) return false;
    used += name.length + 2;
    return true;
  });
  return (listed.length === names.length ? listed : [...listed, rest(names.length - listed.length)]).join(', ');
}
