/**
 * The cached lists of many servers in one file, so that a start reads that instead of one for each server. Names come first, then what
 * says whether they still hold, which has time; a definition is parsed when somebody looks at it.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { contentKey } from '../../content-key.js';
import { isFields, parseJson } from '../../json.js';
import { keepFile, keepInTurns, readKept } from '../../kept-file.js';
import { Turns } from '../../turns.js';
import { VERSION } from '../../version.js';
import { ListFiles, type ListsState, listsDigest, startSettings } from './list-files.js';
import { toolHeadOf } from './listing.js';
import type { UpstreamServer } from './options.js';
import { type PackedDefinitions, type PackedHead, PackedListing, type PackedPlace, packedHandshake } from './packed-listing.js';

/** Increase when the packed format changes. */
const FORMAT = 3;
const PREFIX = 'servers-';
/** Reading one file for each of fewer servers is as fast. */
const FEWEST = 17;
const LARGEST = 64 * 1024 * 1024;
/** What a server lists besides tools is with the names up to this length, in characters. */
const SHORT = 4096;
/** After the last change. */
const WRITE_MS = 500;

interface PackedServer extends PackedHead {
  readonly name: string;
}

/** In the order of the servers. */
interface PackedState extends ListsState {
  readonly place: PackedPlace;
}

interface Pack {
  readonly servers: ReadonlyMap<string, PackedServer>;
  states(): ReadonlyMap<string, PackedState>;
  readonly lists: Uint8Array;
}

interface State {
  readonly pack: Pack | undefined;
  /** Whether the file is to be written again. */
  isDue: boolean;
  /** Counts changes. */
  changes: number;
  timer: NodeJS.Timeout | undefined;
}

export class MemoryPacks {
  readonly #folder: string;
  readonly #servers: Readonly<Record<string, UpstreamServer>>;
  readonly #oneHost: boolean;
  readonly #key: string;
  readonly #states = new Map<string, State>();
  #isClosed = false;

  private constructor(folder: string, servers: Readonly<Record<string, UpstreamServer>>, oneHost: boolean) {
    this.#folder = folder;
    this.#servers = servers;
    this.#oneHost = oneHost;
    const starts = Object.entries(servers).map(([name, server]) => [name, startSettings(server)]);
    this.#key = listsDigest(JSON.stringify([FORMAT, VERSION, oneHost, starts]));
  }

  /** Undefined for few servers. */
  static of(folder: string, servers: Readonly<Record<string, UpstreamServer>>, oneHost: boolean): MemoryPacks | undefined {
    return Object.keys(servers).length < FEWEST ? undefined : new MemoryPacks(folder, servers, oneHost);
  }

  find(variant: string, name: string): PackedListing | undefined {
    const { pack } = this.#stateOf(variant);
    const server = pack?.servers.get(name);
    if (pack === undefined || server === undefined) return undefined;
    return new PackedListing(server, () => this.#definitionsOf(name, pack, variant));
  }

  /** Of what `find` returned; undefined where that is damaged. */
  storedStateOf(variant: string, name: string): ListsState | undefined {
    return this.#stateOf(variant).pack?.states().get(name);
  }

  /** PackedLists had to be read from a file of their own. */
  missed(variant: string): void {
    this.#writeSoon(this.#stateOf(variant));
  }

  /** What is packed no longer holds. */
  changed(variant: string): void {
    const state = this.#stateOf(variant);
    state.changes++;
    // Until it is written again, a start reads the file of each server.
    if (!state.isDue) rmSync(this.#fileOf(variant), { force: true });
    this.#writeSoon(state);
  }

  /** Writes what is due. */
  close(): void {
    this.#isClosed = true;
    for (const [variant, state] of this.#states) {
      clearTimeout(state.timer);
      if (!state.isDue) continue;
      state.isDue = false;
      const packing = this.#packing(variant);
      let step = packing.next();
      while (step.done !== true) step = packing.next();
      if (step.value !== undefined) keepFile(this.#folder, PREFIX, this.#nameOf(variant), step.value);
    }
  }

  #stateOf(variant: string): State {
    let state = this.#states.get(variant);
    if (state === undefined) {
      state = { pack: readPack(this.#fileOf(variant), this.#key, variant), isDue: false, changes: 0, timer: undefined };
      this.#states.set(variant, state);
    }
    return state;
  }

  #writeSoon(state: State): void {
    state.isDue = true;
    if (this.#isClosed) return;
    if (state.timer === undefined) state.timer = setTimeout(() => void this.#write(), WRITE_MS).unref();
    else state.timer.refresh();
  }

  async #write(): Promise<void> {
    for (const [variant, state] of this.#states) {
      if (!state.isDue) continue;
      const { changes } = state;
      const turns = new Turns();
      const packing = this.#packing(variant);
      let step = packing.next();
      while (step.done !== true) {
        if (turns.isOver) await turns.next();
        if (this.#isClosed || changes !== state.changes) return;
        step = packing.next();
      }
      state.isDue = false;
      if (step.value !== undefined) await keepInTurns(this.#folder, PREFIX, this.#nameOf(variant), step.value);
      // It would hide what changed while it was written.
      if (changes !== state.changes) rmSync(this.#fileOf(variant), { force: true });
    }
  }

  /** The pieces of the file, made one server at a time; undefined where there is too much. */
  *#packing(variant: string): Generator<void, readonly Uint8Array[] | undefined> {
    const servers: PackedServer[] = [];
    const states: PackedState[] = [];
    const pieces: Uint8Array[] = [];
    let start = 0;
    for (const name of Object.keys(this.#servers)) {
      const stored = this.#filesOf(name)?.read(variant);
      if (stored !== undefined) {
        const { listing, ...state } = stored;
        const { tools, prompts, resources, templates, skills, handshake, era } = listing;
        const rest = { prompts, resources, templates, skills };
        const isShort = JSON.stringify(rest).length <= SHORT;
        const texts = tools.map((tool) => JSON.stringify(tool));
        const others = isShort ? '' : JSON.stringify(rest);
        const piece = Buffer.from(texts.join('') + others);
        const place: PackedPlace = {
          start,
          tools: texts.map((text) => [Buffer.byteLength(text), contentKey('', text)]),
          ...(isShort ? {} : { rest: [Buffer.byteLength(others), listsDigest(others)] }),
        };
        states.push({ ...state, place });
        servers.push({
          name,
          handshake: packedHandshake(handshake),
          era,
          tools: tools.map(toolHeadOf),
          ...(isShort ? { rest } : {}),
        });
        pieces.push(piece);
        start += piece.length;
      }
      if (start > LARGEST) return undefined;
      yield;
    }
    const rest = JSON.stringify(states);
    const head = JSON.stringify({ key: this.#key, variant, states: listsDigest(rest), servers });
    return servers.length < FEWEST ? undefined : [Buffer.from(`${listsDigest(head)}\n${head}\n${rest}\n`), ...pieces];
  }

  #definitionsOf(name: string, { lists, states }: Pack, variant: string): PackedDefinitions {
    return {
      place: states().get(name)?.place,
      text(start, length, isSound) {
        const text = Buffer.from(lists.buffer, lists.byteOffset + start, Math.max(0, Math.min(length, lists.length - start))).toString(
          'utf8',
        );
        return isSound(text) ? text : undefined;
      },
      restored: () => {
        this.changed(variant);
        return this.#filesOf(name)?.read(variant)?.listing ?? {};
      },
    };
  }

  #filesOf(name: string): ListFiles | undefined {
    const server = this.#servers[name];
    return server === undefined ? undefined : new ListFiles(this.#folder, server, this.#oneHost);
  }

  #nameOf(variant: string): string {
    return `${listsDigest(`${this.#key} ${variant}`).slice(0, 32)}.json`;
  }

  #fileOf(variant: string): string {
    return join(this.#folder, `${PREFIX}${this.#nameOf(variant)}`);
  }
}

const LINE_END = 0x0a;

/** Undefined where there is none, or it is damaged. */
function readPack(file: string, key: string, variant: string): Pack | undefined {
  try {
    const bytes = readKept(file);
    const digestEnd = bytes.indexOf(LINE_END);
    const headEnd = bytes.indexOf(LINE_END, digestEnd + 1);
    const statesEnd = bytes.indexOf(LINE_END, headEnd + 1);
    const head = bytes.subarray(digestEnd + 1, headEnd);
    if (headEnd === -1 || listsDigest(head) !== bytes.toString('latin1', 0, digestEnd)) return undefined;
    const value: unknown = JSON.parse(head.toString('utf8'));
    // The digest matched, so the rest needs no check.
    if (!isFields(value) || value['key'] !== key || value['variant'] !== variant || !isList<PackedServer>(value['servers']))
      return undefined;
    const { servers, states } = { servers: value['servers'], states: value['states'] };
    let read: ReadonlyMap<string, PackedState> | undefined;
    return {
      servers: new Map(servers.map((server) => [server.name, server])),
      states() {
        read ??= readStates(bytes.subarray(headEnd + 1, statesEnd), states, servers);
        return read;
      },
      lists: bytes.subarray(statesEnd + 1),
    };
  } catch {
    return undefined;
  }
}

/** Empty where they are damaged. */
function readStates(bytes: Uint8Array, digest: unknown, servers: readonly PackedServer[]): ReadonlyMap<string, PackedState> {
  const states = listsDigest(bytes) === digest ? parseJson(Buffer.from(bytes).toString('utf8')) : undefined;
  if (!isList<PackedState>(states)) return new Map();
  return new Map(servers.flatMap(({ name }, at): [string, PackedState][] => (states[at] === undefined ? [] : [[name, states[at]]])));
}

/** Its digest matched, so its elements are what was packed. */
function isList<T>(value: unknown): value is readonly T[] {
  return Array.isArray(value);
}
