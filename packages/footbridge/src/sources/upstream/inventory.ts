/** What a server has: read when it greets and whenever it changes, and remembered for the next start. */
import { setTimeout } from 'node:timers/promises';
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { reasonOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { type Context, ownContext, within } from '../context.js';
import type { Host } from '../forwarding.js';
import type { Channel } from '../server/channel.js';
import type { UpstreamConnection } from './connection.js';
import { announces, has, KINDS, type Listing, type ListKind, readList } from './listing.js';
import type { Memory } from './memory.js';
import { findSkills } from './skills/index.js';
import type { PublishedSkill } from './skills/published.js';
import { recallSkills, rememberSkills } from './skills/remember.js';
import type { UpstreamSkill } from './skills/upstream-skill.js';

export interface InventoryOptions {
  readonly name: string;
  readonly memory: Memory | undefined;
  readonly changed: () => void;
  readonly log: Log;
}

/** How long one list may take. */
const LIST_MS = 30_000;
/** How long the tools wait for the other lists, so that all are shown at once. */
const TOGETHER_MS = 1000;
/** When a list that could not be read is tried again. */
const RETRY_MS = 15_000;
/** Lists that were read so shortly ago are not read again for a host. */
const AGAIN_MS = 250;
/** How long a host waits for a server to say whether a list has changed. */
const LOOK_MS = 2000;

export class Inventory {
  readonly #options: InventoryOptions;
  #listing: Listing | undefined;
  /** What else than itself a server may go by in what it shows. */
  #occasion = '';
  /** What is being read, by kind, and which of that has to be read once more. */
  readonly #reading = new Map<ListKind, Promise<void>>();
  readonly #stale = new Set<ListKind>();
  #first: Promise<void> | undefined;
  /** What the server was asked for last and did not tell. */
  readonly #untold = new Set<ListKind | 'skills'>();
  #lookedAt = 0;
  #known = false;
  #saving = false;
  #skills: { readonly published: readonly PublishedSkill[]; readonly group: string; readonly skills: readonly UpstreamSkill[] } | undefined;

  constructor(options: InventoryOptions) {
    this.#options = options;
  }

  /** What is known of it; undefined while nothing is. */
  get listing(): Listing | undefined {
    return this.#listing;
  }

  /** Whether what is known of it is all that there is to know for now. */
  get isKnown(): boolean {
    return this.#known;
  }

  /** Begins with what is remembered for hosts like this one; gives the era that the server had. */
  recall(era: ProtocolEra, host: Host | undefined): ProtocolEra | undefined {
    this.#occasion = occasionOf(era, host);
    const remembered = this.#options.memory?.load(this.#occasion);
    if (remembered === undefined) return undefined;
    this.#listing = { ...remembered, notices: [] };
    this.#known = true;
    return remembered.era;
  }

  /** Reads all lists of a server that has just greeted. Never rejects. */
  greet(connection: UpstreamConnection): Promise<void> {
    this.#first = this.#lookAll(connection, KINDS);
    return this.#first;
  }

  /** Resolves when the first look is over. */
  async looked(): Promise<void> {
    await this.#first;
  }

  /** Resolves when no list is being read any more, with those that the server did not tell. */
  async complete(): Promise<readonly string[]> {
    await this.#first;
    while (this.#reading.size > 0) await Promise.all(this.#reading.values());
    return [...this.#untold];
  }

  /** A list has changed. */
  changed(connection: UpstreamConnection, kind: ListKind): void {
    void this.#look(connection, kind);
  }

  /** Reads those lists again of which the server does not say when they change. Never rejects. */
  async refresh(connection: UpstreamConnection): Promise<void> {
    const kinds = KINDS.filter((kind) => has(connection.handshake, kind) && !announces(connection.handshake, kind));
    // A host that lists everything asks for each kind by itself.
    if (kinds.length === 0 || Date.now() - this.#lookedAt < AGAIN_MS) return;
    await Promise.race([this.#lookAll(connection, kinds), pause(LOOK_MS)]);
  }

  /** Its skills, with these folders in front; the same as long as neither differs. */
  skills(group: readonly string[], origin: string, channel: Channel): readonly UpstreamSkill[] {
    const published = this.#listing?.skills ?? NO_SKILLS;
    const key = group.join('/');
    if (this.#skills?.published !== published || this.#skills.group !== key)
      this.#skills = { published, group: key, skills: recallSkills(published, { channel, origin, group }, ownContext()) };
    return this.#skills.skills;
  }

  async #lookAll(connection: UpstreamConnection, kinds: readonly ListKind[]): Promise<void> {
    this.#lookedAt = Date.now();
    const looks = kinds.map((kind) => this.#look(connection, kind));
    // Without its tools a server is nothing to most hosts.
    if (kinds.includes('tools')) await this.#reading.get('tools');
    await Promise.race([Promise.all(looks), pause(TOGETHER_MS)]);
    // What is still on its way is shown when it comes.
    this.#listing ??= { ...NOTHING, handshake: connection.handshake, era: connection.era };
    this.#known = true;
  }

  /** One kind at a time; what changes while it is read is read again. */
  #look(connection: UpstreamConnection, kind: ListKind): Promise<void> {
    const running = this.#reading.get(kind);
    if (running !== undefined) {
      this.#stale.add(kind);
      return running;
    }
    const reading = this.#readKind(connection, kind).finally(() => this.#reading.delete(kind));
    this.#reading.set(kind, reading);
    return reading;
  }

  async #readKind(connection: UpstreamConnection, kind: ListKind): Promise<void> {
    try {
      do {
        this.#stale.delete(kind);
        this.#untold.add(kind);
        this.#take(connection, await within(LIST_MS, ownContext(), (context) => this.#read(connection, kind, context)));
        this.#untold.delete(kind);
      } while (this.#stale.has(kind) && !connection.isClosed);
    } catch (cause) {
      // The next connection reads everything.
      if (connection.isClosed) return;
      this.#options.log.warn(`The server '${this.#options.name}' failed to list its ${kind}: ${reasonOf(cause)}`);
      void pause(RETRY_MS).then(() => (connection.isClosed ? undefined : this.#look(connection, kind)));
    }
  }

  async #read(connection: UpstreamConnection, kind: ListKind, context: Context): Promise<Partial<Listing>> {
    const { name, log } = this.#options;
    const lists = await readList(connection, connection.handshake, kind, context);
    const { resources } = lists;
    if (resources === undefined) return lists;
    const { capabilities } = connection.handshake;
    this.#untold.delete('skills');
    const found = await findSkills({ channel: connection, origin: name, group: [], resources, capabilities }, context).catch(
      (cause: unknown) => {
        log.warn(`The server '${name}' failed to list its skills: ${reasonOf(cause)}`);
        this.#untold.add('skills');
        return undefined;
      },
    );
    return found === undefined ? lists : { ...lists, skills: rememberSkills(found.skills), notices: found.notices };
  }

  #take({ handshake, era }: UpstreamConnection, lists: Partial<Listing>): void {
    const before = this.#listing;
    const next: Listing = { ...NOTHING, ...before, ...lists, handshake, era };
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(next)) return;
    this.#listing = next;
    this.#saveSoon();
    this.#options.changed();
  }

  /** Once for lists that come one after the other. */
  #saveSoon(): void {
    if (this.#options.memory === undefined || this.#saving) return;
    this.#saving = true;
    setImmediate(() => {
      this.#saving = false;
      if (this.#listing === undefined) return;
      const { notices: _, ...remembered } = this.#listing;
      this.#options.memory?.save(this.#occasion, remembered);
    });
  }
}

const NO_SKILLS: readonly PublishedSkill[] = [];
const NOTHING: Omit<Listing, 'handshake' | 'era'> = {
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
  skills: NO_SKILLS,
  notices: [],
};

/** A server may show hosts of one era, or with one capability, what it does not show others. */
function occasionOf(era: ProtocolEra, host: Host | undefined): string {
  return host === undefined ? era : JSON.stringify([era, host.clientInfo['name'], host.capabilities]);
}

function pause(milliseconds: number): Promise<void> {
  return setTimeout(milliseconds, undefined, { ref: false });
}
