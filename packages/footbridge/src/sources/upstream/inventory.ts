/** The lists of a server: read after the handshake and on changes, and cached for the next start. */
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { reasonOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { inTurns } from '../../turns.js';
import { type Context, ownContext, within } from '../context.js';
import type { HostPeer } from '../forwarding.js';
import type { Channel } from '../server/channel.js';
import type { UpstreamConnection } from './connection.js';
import { ListReads } from './list-reads.js';
import {
  announces,
  emptyListing,
  has,
  isSameGreeting,
  isSameListing,
  KINDS,
  type ListKind,
  NO_LISTS,
  readList,
  sameListsSteps,
  type UpstreamListing,
  wholeListing,
} from './listing.js';
import { FRESH_MS, type Memory, variantOf } from './memory.js';
import { findSkills } from './skills/index.js';
import type { PublishedSkill } from './skills/published.js';
import { recallSkills, rememberSkills } from './skills/stored-skills.js';
import type { UpstreamSkill } from './skills/upstream-skill.js';
import type { Remembered } from './stored-lists.js';

export interface InventoryOptions {
  readonly name: string;
  readonly memory: Memory | undefined;
  readonly changed: () => void;
  readonly log: Log;
}

const LIST_MS = 30_000;
/** How long the tools wait for the other lists, to be shown together. */
const TOGETHER_MS = 1000;
const RETRY_MS = 15_000;
/** A host that lists everything causes one refresh. */
const AGAIN_MS = 250;
/** How long another replica's lists need not be read again by a connection. */
const ADOPTED_MS = 10 * 60_000;
/** How long a host waits for a refresh. */
const LOOK_MS = 2000;

export class Inventory {
  readonly #options: InventoryOptions;
  #listing: UpstreamListing | undefined;
  /** What the lists may depend on besides the server. */
  #variant = '';
  /** Made with the first read: of many servers, most are not started. */
  #reads: ListReads | undefined;
  #first: Promise<void> | undefined;
  #lookedAt = 0;
  /** When another replica's lists were taken, until this one connects. */
  #adoptedAt = 0;
  /** When all lists were read in this run, here or by another replica. */
  #readAt = 0;
  #known = false;
  #isUnsaved = false;
  #saving = false;
  #skills: { readonly published: readonly PublishedSkill[]; readonly group: string; readonly skills: readonly UpstreamSkill[] } | undefined;

  constructor(options: InventoryOptions) {
    this.#options = options;
  }

  /** Undefined until something was listed or found in the cache. */
  get listing(): UpstreamListing | undefined {
    return this.#listing;
  }

  /** Whether the lists are complete for now. */
  get isKnown(): boolean {
    return this.#known;
  }

  /** Loads the cached lists for hosts like this one; returns the era that the server had. A promise only where they are long. */
  recall(era: ProtocolEra, host: HostPeer | undefined): ProtocolEra | undefined | Promise<ProtocolEra | undefined> {
    this.#variant = variantOf(era, host);
    const listing = this.#options.memory?.load(this.#variant);
    return listing instanceof Promise ? listing.then((each) => this.#recalled(each)) : this.#recalled(listing);
  }

  #recalled(listing: UpstreamListing | undefined): ProtocolEra | undefined {
    // A call may have started the server meanwhile.
    if (listing === undefined || this.#listing !== undefined) return undefined;
    this.#listing = listing;
    this.#known = true;
    return listing.era;
  }

  /** Whether the server was too slow to list anything in the last run. */
  get wasSlow(): boolean {
    return this.#listing === undefined && this.#options.memory?.wasSlow === true;
  }

  /** Call when it has been too slow so far. */
  noteSlow(): void {
    if (!this.#known || this.#reads?.unlisted.has('tools')) this.#options.memory?.noteSlow(this.#variant);
  }

  /** Whether the recalled lists need not be read again before the server is called. Takes newer ones of another process. */
  async check(): Promise<boolean> {
    if (Date.now() - this.#readAt < FRESH_MS) return true;
    const { isFresh, newer } = (await this.#options.memory?.check(this.#variant)) ?? { isFresh: false };
    if (newer !== undefined) await this.#replace(newer);
    return isFresh;
  }

  /** Takes lists that another replica has just read. */
  async adopt(listing: Remembered): Promise<void> {
    this.#known = true;
    this.#adoptedAt = Date.now();
    this.#readAt = this.#adoptedAt;
    await this.#replace(wholeListing({ ...listing, notices: [] }));
  }

  async #replace(listing: UpstreamListing): Promise<void> {
    const before = this.#listing;
    this.#listing = listing;
    if (!(await isSameListing(before, listing))) this.#options.changed();
  }

  /** Has the lists read after the next handshake, even if another replica has just done that. */
  doubt(): void {
    this.#adoptedAt = 0;
  }

  /** Reads all lists after a handshake, unless another replica has just done that. Never rejects. */
  greet(connection: UpstreamConnection): Promise<void> {
    const isRead = this.#isAdopted(connection);
    this.#adoptedAt = 0;
    this.#first = isRead ? Promise.resolve() : this.#lookAll(connection, KINDS);
    return this.#first;
  }

  /** Resolves after the first read. */
  async looked(): Promise<void> {
    await this.#first;
  }

  /** Resolves when no list is being read, with the lists that failed. */
  async complete(): Promise<readonly string[]> {
    await this.#first;
    while (this.#work.running.size > 0) await Promise.all(this.#work.running.values());
    return [...this.#work.unlisted];
  }

  /** Rereads a list: at once, or after a while if it changes again and again. Never rejects. */
  changed(connection: UpstreamConnection, kind: ListKind): Promise<void> {
    const { later, running, stale } = this.#work;
    const reading = running.get(kind);
    if (reading === undefined) return this.#lookAgain(connection, kind);
    stale.add(kind);
    return reading.then(() => later.get(kind)?.reading ?? running.get(kind));
  }

  /** Rereads the lists whose changes the server does not announce. Never rejects. */
  async refresh(connection: UpstreamConnection): Promise<void> {
    const kinds = KINDS.filter((kind) => has(connection.handshake, kind) && !announces(connection.handshake, kind));
    if (kinds.length === 0 || Date.now() - this.#lookedAt < AGAIN_MS) return;
    await Promise.race([this.#lookAll(connection, kinds), pause(LOOK_MS)]);
  }

  /** Published skills below a group of folders, cached. */
  *skills(
    published: readonly PublishedSkill[],
    group: readonly string[],
    origin: string,
    channel: Channel,
  ): Generator<void, readonly UpstreamSkill[]> {
    const key = group.join('/');
    if (this.#skills?.published === published && this.#skills.group === key) return this.#skills.skills;
    const skills = yield* recallSkills(published, { channel, origin, group }, ownContext());
    this.#skills = { published, group: key, skills };
    return skills;
  }

  #isAdopted({ handshake, era }: UpstreamConnection): boolean {
    const { handshake: known, era: knownEra } = this.#listing ?? {};
    return Date.now() - this.#adoptedAt < ADOPTED_MS && era === knownEra && JSON.stringify(handshake) === JSON.stringify(known);
  }

  get #work(): ListReads {
    this.#reads ??= new ListReads();
    return this.#reads;
  }

  async #lookAll(connection: UpstreamConnection, kinds: readonly ListKind[]): Promise<void> {
    this.#lookedAt = Date.now();
    const looks = kinds.map((kind) => this.#look(connection, kind));
    // Most hosts need the tools first.
    if (kinds.includes('tools')) await this.#work.running.get('tools');
    await Promise.race([Promise.all(looks), pause(TOGETHER_MS)]);
    // Late lists are shown when they arrive.
    this.#listing ??= emptyListing(connection.handshake, connection.era);
    this.#known = true;
    if (this.#work.unlisted.size > 0) return;
    if (kinds === KINDS) this.#readAt = Date.now();
    this.#saveSoon();
  }

  /** A change during a read causes another read. */
  #look(connection: UpstreamConnection, kind: ListKind): Promise<void> {
    const running = this.#work.running.get(kind);
    if (running !== undefined) {
      this.#work.stale.add(kind);
      return running;
    }
    const reading = this.#readKind(connection, kind).finally(() => {
      this.#work.running.delete(kind);
      if (this.#work.stale.delete(kind) && !connection.isClosed) void this.#lookAgain(connection, kind);
    });
    this.#work.running.set(kind, reading);
    return reading;
  }

  #lookAgain(connection: UpstreamConnection, kind: ListKind): Promise<void> {
    const { later } = this.#work;
    const known = later.get(kind);
    if (known?.connection === connection) return known.reading;
    const pace = this.#work.paceOf(kind);
    const look = () => {
      pace.began();
      return this.#look(connection, kind);
    };
    const due = pace.due();
    if (due === 0) return look();
    const reading = pause(due).then(() => {
      if (later.get(kind)?.connection === connection) later.delete(kind);
      return connection.isClosed ? undefined : look();
    });
    later.set(kind, { connection, reading });
    return reading;
  }

  async #readKind(connection: UpstreamConnection, kind: ListKind): Promise<void> {
    try {
      this.#work.unlisted.add(kind);
      const lists = await within(LIST_MS, ownContext(), (context) => this.#read(connection, kind, context));
      // What was just read took its time.
      if ((lists.tools ?? lists.prompts ?? lists.resources ?? []).length > MANY) await nextTurn();
      // No other read changes these lists.
      const isSame = this.#listing !== undefined && (await inTurns(sameListsSteps(this.#listing, lists)));
      this.#work.paceOf(kind).ended(isSame);
      this.#take(connection, lists, isSame);
      this.#work.unlisted.delete(kind);
    } catch (cause) {
      // The next connection rereads everything.
      if (connection.isClosed) return;
      this.#options.log.warn(`The server '${this.#options.name}' failed to list its ${kind}: ${reasonOf(cause)}`);
      this.noteSlow();
      void pause(RETRY_MS).then(() => (connection.isClosed ? undefined : this.#look(connection, kind)));
    }
  }

  async #read(connection: UpstreamConnection, kind: ListKind, context: Context): Promise<Partial<UpstreamListing>> {
    const { name, log } = this.#options;
    const lists = await readList(connection.lists, connection.handshake, kind, context, (entries) => this.#report(kind, entries));
    const { resources } = lists;
    if (resources === undefined) return lists;
    const { capabilities } = connection.handshake;
    this.#work.unlisted.delete('skills');
    const found = await findSkills({ channel: connection.lists, origin: name, group: [], resources, capabilities }, context).catch(
      (cause: unknown) => {
        log.warn(`The server '${name}' failed to list its skills: ${reasonOf(cause)}`);
        this.#work.unlisted.add('skills');
        return undefined;
      },
    );
    return found === undefined ? lists : { ...lists, skills: rememberSkills(found.skills), notices: found.notices };
  }

  /** Once, and again when it changes. */
  #report(kind: ListKind, leftOut: number): void {
    if (leftOut === (this.#work.leftOut.get(kind) ?? 0)) return;
    this.#work.leftOut.set(kind, leftOut);
    if (leftOut > 0)
      this.#options.log.warn(`The server '${this.#options.name}' lists ${kind} that exceed the limits; ${leftOut} are left out.`);
  }

  #take({ handshake, era }: UpstreamConnection, lists: Partial<UpstreamListing>, isSame: boolean): void {
    const before = this.#listing;
    if (isSame && before !== undefined && isSameGreeting(before, { handshake, era })) return;
    this.#listing = wholeListing({ ...NO_LISTS, ...(before && wholeListing(before)), ...lists, handshake, era });
    this.#saveSoon();
    this.#options.changed();
  }

  /** Batches lists that arrive together. */
  #saveSoon(): void {
    if (this.#options.memory === undefined) return;
    this.#isUnsaved = true;
    if (this.#saving) return;
    this.#saving = true;
    setImmediate(() => void this.#save());
  }

  /** Long lists take several turns, in which they may change. */
  async #save(): Promise<void> {
    while (this.#isUnsaved && this.#listing !== undefined) {
      this.#isUnsaved = false;
      const { notices: _, ...remembered } = wholeListing(this.#listing);
      try {
        await this.#options.memory?.save(this.#variant, remembered, this.#work.unlisted.size + this.#work.running.size === 0);
      } catch (cause) {
        // Nobody waits for it, and the next start reads the lists again.
        this.#options.log.debug(`The lists of the server '${this.#options.name}' are not stored: ${reasonOf(cause)}`);
      }
    }
    this.#saving = false;
  }
}

/** A list that is taken in a turn of its own. */
const MANY = 500;

function pause(milliseconds: number): Promise<void> {
  return setTimeout(milliseconds, undefined, { ref: false });
}
