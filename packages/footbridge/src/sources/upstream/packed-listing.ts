/** The lists of a server in a pack: names first, and definitions when somebody looks at them. */
import { type Fields, isFields } from '../../json.js';
import type { Handshake } from '../forwarding.js';
import type { ToolHead, UpstreamListing } from './listing.js';

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

/** Parsed when somebody looks at it. Like any other, it can be copied with its own fields. */
export class PackedListing implements UpstreamListing {
  readonly notices = NO_NOTICES;
  readonly handshake: Handshake;
  readonly era: UpstreamListing['era'];
  readonly toolHeads: readonly ToolHead[];
  readonly #rest: ListsBesideTools | undefined;
  #load: (() => Partial<PackedLists>) | undefined;
  #lists = NOTHING;

  constructor({ era, handshake, rest, tools }: PackedHead, load: () => Partial<PackedLists>) {
    this.handshake = wholeHandshake(handshake);
    this.era = era;
    this.toolHeads = tools;
    this.#rest = rest;
    this.#load = load;
  }

  get tools() {
    return this.#whole().tools;
  }

  get prompts() {
    return (this.#rest ?? this.#whole()).prompts;
  }

  get resources() {
    return (this.#rest ?? this.#whole()).resources;
  }

  get templates() {
    return (this.#rest ?? this.#whole()).templates;
  }

  get skills() {
    return (this.#rest ?? this.#whole()).skills;
  }

  #whole(): PackedLists {
    if (this.#load !== undefined) this.#lists = { ...NOTHING, ...this.#load() };
    this.#load = undefined;
    return this.#lists;
  }
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
