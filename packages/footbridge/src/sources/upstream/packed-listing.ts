/** The lists of a server in a pack: names first, and definitions when somebody looks at them. */
import type { Tool } from '@modelcontextprotocol/server';
import { contentKey } from '../../content-key.js';
import { type Fields, isFields, parseJson } from '../../json.js';
import type { Handshake } from '../forwarding.js';
import { listsDigest } from './list-files.js';
import { isTool, type ToolHead, type UpstreamListing } from './listing.js';

/** Everything but tools. */
export type ListsBesideTools = Pick<UpstreamListing, 'prompts' | 'resources' | 'templates' | 'skills'>;
export type PackedLists = ListsBesideTools & Pick<UpstreamListing, 'tools'>;

/** Its parts are in the whole, where they are stored once. */
export type PackedHandshake = Pick<Handshake, 'result'> & Partial<Handshake>;

const NOTHING: PackedLists = { tools: [], prompts: [], resources: [], templates: [], skills: [] };
const NO_NOTICES: UpstreamListing['notices'] = [];

/** What is stored of it beside the definitions of its tools. */
export interface PackedHead {
  readonly handshake: PackedHandshake;
  readonly era: UpstreamListing['era'];
  readonly tools: readonly ToolHead[];
  /** Where it is short. */
  readonly rest?: ListsBesideTools;
}

/** Where the definitions of a server are in a pack. */
export interface PackedPlace {
  readonly start: number;
  /** Of each tool: its bytes, and the `contentKey` of its text. */
  readonly tools: readonly (readonly [length: number, key: number])[];
  /** The bytes of the other lists behind them, and their digest; absent where they are with the names. */
  readonly rest?: readonly [length: number, digest: string];
}

/** The definitions of a server in a pack, each by itself: there may be many, of which few are looked at. */
export interface PackedDefinitions {
  readonly place: PackedPlace | undefined;
  /** The text from `start` on; undefined if it is not what was stored. */
  text(start: number, length: number, isSound: (text: string) => boolean): string | undefined;
  /** From elsewhere, where they are damaged. */
  restored(): Partial<PackedLists>;
}

/** Parsed when somebody looks at it. Like any other, it can be copied with its own fields. */
export class PackedListing implements UpstreamListing {
  readonly notices = NO_NOTICES;
  readonly handshake: Handshake;
  readonly era: UpstreamListing['era'];
  readonly toolHeads: readonly ToolHead[];
  #rest: ListsBesideTools | undefined;
  readonly #definitions: () => PackedDefinitions;
  #found: PackedDefinitions | undefined;
  #starts: readonly number[] | undefined;
  #tools: readonly Tool[] | undefined;
  #restored: PackedLists | undefined;

  constructor({ era, handshake, rest, tools }: PackedHead, definitions: () => PackedDefinitions) {
    this.handshake = wholeHandshake(handshake);
    this.era = era;
    this.toolHeads = tools;
    this.#rest = rest;
    this.#definitions = definitions;
  }

  get tools(): readonly Tool[] {
    this.#tools ??= this.toolHeads.flatMap((_, at) => this.toolAt(at) ?? []);
    return this.#tools;
  }

  get prompts() {
    return this.#others().prompts;
  }

  get resources() {
    return this.#others().resources;
  }

  get templates() {
    return this.#others().templates;
  }

  get skills() {
    return this.#others().skills;
  }

  toolAt(at: number): Tool | undefined {
    if (this.#restored !== undefined) return this.#restored.tools[at];
    const { place, text } = this.#parts();
    const [length = 0, key] = place?.tools[at] ?? [];
    this.#starts ??= startsOf(place);
    const found = text(this.#starts[at] ?? 0, length, (each) => contentKey('', each) === key);
    const tool = found === undefined ? undefined : parseJson(found);
    return isFields(tool) && isTool(tool) ? tool : this.#restore().tools[at];
  }

  toolKeyAt(at: number): number | undefined {
    return this.#parts().place?.tools[at]?.[1];
  }

  #others(): ListsBesideTools {
    if (this.#rest !== undefined) return this.#rest;
    const { place, text } = this.#parts();
    const [length = 0, digest = ''] = place?.rest ?? [];
    this.#starts ??= startsOf(place);
    const found = text(this.#starts.at(-1) ?? 0, length, (each) => listsDigest(each) === digest);
    const value = found === undefined ? undefined : parseJson(found);
    this.#rest = isLists(value) ? value : this.#restore();
    return this.#rest;
  }

  #parts(): PackedDefinitions {
    this.#found ??= this.#definitions();
    return this.#found;
  }

  #restore(): PackedLists {
    this.#restored ??= { ...NOTHING, ...this.#parts().restored() };
    return this.#restored;
  }
}

/** Where each tool begins, and the end of the last. */
function startsOf(place: PackedPlace | undefined): readonly number[] {
  const starts = [place?.start ?? 0];
  for (const [length] of place?.tools ?? []) starts.push((starts.at(-1) ?? 0) + length);
  return starts;
}

/** Its digest matched. */
function isLists(value: unknown): value is ListsBesideTools {
  return isFields(value);
}

/** Without what is in its result. */
export function packedHandshake(handshake: Handshake): PackedHandshake {
  const { result } = handshake;
  return JSON.stringify(wholeHandshake({ result })) === JSON.stringify(wholeHandshake(handshake)) ? { result } : handshake;
}

function wholeHandshake({ capabilities, instructions, result, serverInfo }: PackedHandshake): Handshake {
  const reported = result['instructions'];
  return {
    serverInfo: serverInfo ?? fieldsIn(result['serverInfo']),
    capabilities: capabilities ?? fieldsIn(result['capabilities']),
    instructions: instructions ?? (typeof reported === 'string' ? reported : undefined),
    result,
  };
}

function fieldsIn(value: unknown): Fields {
  return isFields(value) ? value : {};
}
