/** Limits how many servers start and run at the same time. Unused ones are stopped for others. */
import { UpstreamError } from './failure.js';
import type { UpstreamTransport } from './transports/transport.js';

/** The occupant of a slot. */
export interface SlotUser {
  /** Whether it is idle and may be stopped. */
  readonly isIdle: boolean;
  /** Whether a caller used it since it was started. */
  readonly isWanted: boolean;
  /** Whether a caller waits for it now. */
  readonly isAwaited: boolean;
  /** Whether it is stopped when idle. */
  readonly isOnDemand: boolean;
  /** When it was last used, as `Date.now()`. */
  readonly usedAt: number;
  /** Ends its process. */
  stop(): void;
}

/** The permission to run one process at a time. */
export interface Slot {
  /** A transport whose process occupies the slot until it is gone. */
  around(transport: UpstreamTransport): UpstreamTransport;
  /** The attempt to start it has ended, whether it succeeded or not. */
  attempted(): void;
}

/** A place in the queue. */
export interface Turn {
  /** Rejects with `NoRoom` when a caller has waited too long. */
  readonly slot: Promise<Slot>;
  /** A caller waits for it now. */
  hurry(): void;
  /** Leaves the queue. */
  cancel(): void;
}

/** A caller waited too long for a slot: nothing is wrong with the server itself. */
export class NoRoom extends UpstreamError {
  /** `isLasting`: servers that always run have taken all slots. */
  constructor(
    message: string,
    readonly isLasting: boolean,
  ) {
    super('busy', message);
  }
}

interface Waiting {
  readonly user: SlotUser;
  grant: (slot: Slot) => void;
  refuse: (reason: UpstreamError) => void;
  /** When a caller began to wait; undefined while none does. */
  hurriedAt: number | undefined;
}

interface Holder {
  readonly user: SlotUser;
  readonly since: number;
  isStarting: boolean;
  isStopping: boolean;
  processes: number;
}

const MAX_STARTING = 16;
/** Of these, for servers that no caller waits for. */
const MAX_STARTING_UNASKED = 12;
/** The part of the places that may be taken by servers that start or list something although no caller waits for them. */
const UNASKED_SHARE = 0.75;
/** Servers on demand that run although no caller used them yet. */
const MAX_UNUSED = 16;
/** How long a start counts as one, and how long a caller waits for a slot. */
const START_MS = 10_000;
/** How long a background start delays other background starts: it may be an installation. */
const INSTALL_MS = 30_000;
/** How long a server that no caller wants may take to list what it offers, while a caller waits. */
const LEARN_MS = 5000;
/** A server that was used so recently is not stopped for a background start. */
const RECENT_MS = 10_000;
const LOOK_AGAIN_MS = 50;

export class ProcessSlots {
  readonly #most: number;
  readonly #mostUnasked: number;
  readonly #holders = new Set<Holder>();
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  /** After a start, which occupies the process: calls are answered in between. */
  #pause: NodeJS.Immediate | undefined;

  /** `most`: how many servers may run at the same time. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#mostUnasked = Math.max(1, Math.floor(UNASKED_SHARE * most));
  }

  /** Queues for a slot; servers that a caller waits for come first. */
  queue(user: SlotUser, isUrgent: boolean): Turn {
    const waiting: Waiting = { user, grant() {}, refuse() {}, hurriedAt: isUrgent ? Date.now() : undefined };
    const slot = new Promise<Slot>((resolve, reject) => {
      waiting.grant = resolve;
      waiting.refuse = reject;
    });
    this.#waiting.add(waiting);
    this.#admit();
    return {
      slot,
      hurry: () => {
        if (waiting.hurriedAt !== undefined || !this.#waiting.has(waiting)) return;
        waiting.hurriedAt = Date.now();
        this.#admit();
      },
      cancel: () => {
        if (this.#waiting.delete(waiting)) waiting.refuse(new UpstreamError('disconnected', 'The connection is closed.'));
      },
    };
  }

  #admit(): void {
    if (this.#pause === undefined) {
      const next = this.#first();
      if (next !== undefined && this.#hasRoom(next)) this.#grant(next);
    }
    const late = Date.now() - START_MS;
    if (this.#waiting.size > 0 && this.#isTaken) for (const waiting of this.#waiting) this.#refuse(waiting);
    for (const waiting of this.#waiting) if (waiting.hurriedAt !== undefined && waiting.hurriedAt < late) this.#refuse(waiting);
    // No event reports that a server became idle.
    if (this.#waiting.size > 0)
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#admit();
      }, LOOK_AGAIN_MS).unref();
  }

  /** Whether servers that always run have taken all slots. */
  get #isTaken(): boolean {
    if (this.#holders.size < this.#most) return false;
    for (const { user, isStarting, isStopping } of this.#holders) if (user.isOnDemand || isStarting || isStopping) return false;
    return true;
  }

  #first(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (waiting.hurriedAt !== undefined) return waiting;
      first ??= waiting;
    }
    return first;
  }

  /** Also makes room, which takes until a process has exited. */
  #hasRoom({ hurriedAt, user }: Waiting): boolean {
    const isUrgent = hurriedAt !== undefined;
    const now = Date.now();
    let starting = 0;
    let unasked = 0;
    let unused = 0;
    let stopping = 0;
    for (const holder of this.#holders) {
      if (holder.isStarting && now - holder.since < START_MS) starting++;
      if (isUnasked(holder)) unasked++;
      if (holder.user.isOnDemand && !holder.user.isWanted) unused++;
      if (holder.isStopping) stopping++;
    }
    if (starting >= (isUrgent ? MAX_STARTING : MAX_STARTING_UNASKED)) return false;
    const isFull = this.#holders.size >= this.#most;
    const isCrowded = !isUrgent && user.isOnDemand && unused >= MAX_UNUSED;
    // The other places are left to callers: what hangs at its start is not stopped at once, since it may be installing packages.
    const isUnaskedFull = !isUrgent && unasked >= this.#mostUnasked;
    if (!isFull && !isCrowded && !isUnaskedFull) return true;
    const mayStop = isUnaskedFull ? isUnasked : isCrowded ? isUnwanted : () => true;
    if (stopping < (isUrgent ? this.#hurried() : 1)) this.#stopOne(isUrgent, mayStop, now);
    return false;
  }

  #hurried(): number {
    let count = 0;
    for (const { hurriedAt } of this.#waiting) if (hurriedAt !== undefined) count++;
    return count;
  }

  /** The least recently used that is idle, those first that no caller used; for a caller also one that takes too long. */
  #stopOne(isUrgent: boolean, mayStop: (holder: Holder) => boolean, now: number): void {
    let chosen: Holder | undefined;
    let chosenRank = Number.POSITIVE_INFINITY;
    for (const holder of this.#holders) {
      const rank = rankOf(holder, isUrgent, now);
      if (rank === undefined || rank >= chosenRank || !mayStop(holder)) continue;
      chosen = holder;
      chosenRank = rank;
    }
    if (chosen === undefined) return;
    chosen.isStopping = true;
    chosen.user.stop();
  }

  #grant(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    const holder: Holder = { user: waiting.user, since: Date.now(), isStarting: true, isStopping: false, processes: 0 };
    this.#holders.add(holder);
    this.#pause = setImmediate(() => {
      this.#pause = undefined;
      this.#admit();
    });
    const settle = () => {
      if (!holder.isStarting && holder.processes === 0 && this.#holders.delete(holder)) this.#admit();
    };
    waiting.grant({
      around: (transport) => counted(transport, holder, settle),
      attempted: () => {
        holder.isStarting = false;
        settle();
        this.#admit();
      },
    });
  }

  #refuse(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    const isFull = this.#holders.size >= this.#most;
    const isLasting = this.#isTaken;
    const message = isLasting
      ? `All ${this.#most} servers that may run at the same time have "idle": false. Raise "running" in footbridge.json.`
      : isFull
        ? `All ${this.#most} servers that may run at the same time are in use; see "running" in footbridge.json.`
        : 'Too many servers are starting.';
    waiting.refuse(new NoRoom(message, isLasting));
  }
}

function isUnwanted({ user }: Holder): boolean {
  return !user.isWanted;
}

/** Whether it starts, or lists what it offers, without a caller who waits for it. */
function isUnasked({ user, isStarting }: Holder): boolean {
  return isStarting ? !user.isAwaited : user.isOnDemand && !user.isWanted && !user.isIdle;
}

/** Lower is stopped first; undefined for what has to go on. */
function rankOf({ user, since, isStarting, isStopping }: Holder, isUrgent: boolean, now: number): number | undefined {
  if (isStopping) return undefined;
  if (isStarting) return !user.isAwaited && now - since >= (isUrgent ? START_MS : INSTALL_MS) ? 3 * now + since : undefined;
  if (!user.isOnDemand) return undefined;
  if (user.isIdle) {
    if (!user.isWanted) return since;
    return isUrgent || now - user.usedAt >= RECENT_MS ? now + user.usedAt : undefined;
  }
  return isUrgent && !user.isWanted && now - since >= LEARN_MS ? 2 * now + since : undefined;
}

function counted(transport: UpstreamTransport, holder: Holder, settle: () => void): UpstreamTransport {
  let isCounted = false;
  const gone = () => {
    if (!isCounted) return;
    isCounted = false;
    holder.processes--;
    settle();
  };
  return {
    ...transport,
    async start({ receive, closed }) {
      isCounted = true;
      holder.processes++;
      try {
        await transport.start({
          receive,
          closed: (failure) => {
            gone();
            closed(failure);
          },
        });
      } catch (cause) {
        gone();
        throw cause;
      }
    },
    close: () => transport.close().finally(gone),
  };
}
