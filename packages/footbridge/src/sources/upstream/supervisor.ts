/** Supervises one connection to a server: opens it on demand and reopens it with back-off. */
import { Cancellation } from '../context.js';
import type { UpstreamConnection } from './connection.js';
import { failureOf, toUpstreamError, UpstreamError, type UpstreamFailure } from './failure.js';
import { NoRoom, type Slot, type Turn } from './process-slots.js';

export interface Attempt {
  /** Call when the connection ends. */
  lost(failure: UpstreamFailure): void;
  /** Call before a server is started; false when it was started too often. */
  mayStart(): boolean;
  /** Aborted when the supervisor closes, or the server has to make room for others. */
  readonly cancellation: Cancellation;
  /** The slot of its process; undefined for a server without one. */
  readonly slot: Slot | undefined;
}

export interface SupervisorOptions {
  connect(attempt: Attempt): Promise<UpstreamConnection>;
  /** Queues for the permission to start; undefined for a server without a process. */
  turn?(isUrgent: boolean): Turn | undefined;
  ready(connection: UpstreamConnection): void;
  down(failure: UpstreamFailure): void;
  /** Whether it only makes sense to connect again after `retry`. */
  isFinal?(failure: UpstreamFailure): boolean;
  /** How long callers wait for a connection, where the attempt itself may take longer. */
  readonly waitMs: number | undefined;
}

/** Starts within `WINDOW_MS`; after that restarts are paused. */
const MAX_STARTS = 5;
const WINDOW_MS = 60_000;
/** Before the first restart, then `LONGER` times as long each time. */
const FIRST_DELAY_MS = 250;
const LONGER = 2.5;
/** A start that failed after so long occupied a slot all the time, so the next one is paused at once. */
const HUNG_MS = 10_000;
/** The longest pause of a server that fails again and again. A call before then starts it. */
const LONGEST_PAUSE_MS = 15 * 60_000;
/** The pause before a server that got no slot queues again. */
const ROOM_MS = 1000;
/** The same where servers that always run have taken all of it. */
const NO_ROOM_MS = 15_000;

const TOO_OFTEN: UpstreamFailure = { kind: 'exited', message: 'It was restarted too often.' };
const EVICTED: UpstreamFailure = { kind: 'timeout', message: 'It was still starting when another server needed the room.' };
const ENDED: UpstreamFailure = { kind: 'disconnected', message: 'The connection ended.' };
const noLonger = () => new UpstreamError('disconnected', 'The connection is closed.');

export class Supervisor {
  readonly #options: SupervisorOptions;
  #current: UpstreamConnection | undefined;
  /** The promise that callers wait for; undefined after `waitMs`. */
  #starting: Promise<UpstreamConnection> | undefined;
  /** The running attempt, however long it takes. */
  #attempt: Promise<UpstreamConnection> | undefined;
  #turn: Turn | undefined;
  /** Of the running attempt. */
  #cancellation = new Cancellation();
  #stopping: Promise<void> | undefined;
  #starts: number[] = [];
  /** How many pauses followed each other. */
  #pauses = 0;
  #openedAt = 0;
  #connectedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #failure: UpstreamFailure | undefined;
  readonly #closing = new Cancellation();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** The open connection, if any. */
  get current(): UpstreamConnection | undefined {
    return this.#current;
  }

  /** Why there is no connection. */
  get failure(): UpstreamFailure | undefined {
    return this.#failure;
  }

  /** Milliseconds since it was tried last to connect; 0 before the first time. */
  get triedAgo(): number {
    return this.#openedAt === 0 ? 0 : Date.now() - this.#openedAt;
  }

  /** Opens the connection if necessary. Rejects with an `UpstreamError`. `isUrgent`: a caller waits for it. */
  connection(isUrgent = true): Promise<UpstreamConnection> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    if (isUrgent) this.#turn?.hurry();
    if (this.#starting !== undefined) return this.#starting;
    if (this.#closing.aborted) return Promise.reject(noLonger());
    if (this.#stopping !== undefined) return this.#stopping.then(() => this.connection(isUrgent));
    if (this.#attempt !== undefined || this.#wait() > 0) return Promise.reject(toUpstreamError(this.#failure ?? TOO_OFTEN));
    return this.#start(isUrgent);
  }

  /** Ends the connection, or the attempt to open it, until it is needed again. */
  stop(): void {
    const connection = this.#current;
    if (connection === undefined) {
      this.#cancellation.abort();
      return;
    }
    this.#current = undefined;
    // It worked before, so this does not count as a restart.
    this.#starts = [];
    const stopping = connection.close().finally(() => {
      if (this.#stopping === stopping) this.#stopping = undefined;
    });
    this.#stopping = stopping;
  }

  /** Connects again at once, since the cause of the failure has changed. */
  retry(): void {
    this.#starts = [];
    if (this.#current === undefined && this.#attempt === undefined) void this.connection(false).catch(() => {});
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancellation.abort();
    this.#turn?.cancel();
    clearTimeout(this.#timer);
    const attempt = this.#attempt;
    const connection = this.#current ?? (await attempt?.catch(() => undefined));
    this.#current = undefined;
    await Promise.all([connection?.close(), this.#stopping]);
  }

  /** Milliseconds until the next start is allowed. */
  #wait(): number {
    const now = Date.now();
    this.#starts = this.#starts.filter((at) => now - at < WINDOW_MS);
    const [oldest] = this.#starts;
    return oldest === undefined || this.#starts.length < MAX_STARTS ? 0 : oldest + WINDOW_MS - now;
  }

  #start(isUrgent: boolean): Promise<UpstreamConnection> {
    clearTimeout(this.#timer);
    const turn = this.#options.turn?.(isUrgent);
    this.#turn = turn;
    const attempt = (turn === undefined ? this.#open(undefined) : turn.slot.then((slot) => this.#open(slot))).catch((cause: unknown) => {
      this.#ended();
      if (cause instanceof NoRoom) this.#queueAgain(cause);
      else this.#lose(failureOf(cause), Date.now() - this.#openedAt >= HUNG_MS);
      throw cause;
    });
    this.#attempt = attempt;
    this.#starting = this.#startedInTime(attempt, turn?.slot ?? Promise.resolve());
    return this.#starting;
  }

  async #open(slot: Slot | undefined): Promise<UpstreamConnection> {
    let lost: UpstreamFailure | undefined;
    let connection: UpstreamConnection | undefined;
    const cancellation = new Cancellation();
    this.#openedAt = Date.now();
    this.#cancellation = cancellation;
    if (this.#closing.aborted) cancellation.abort();
    try {
      connection = await this.#options.connect({
        lost: (failure) => {
          lost = failure;
          if (connection !== undefined && this.#current === connection) this.#lose(failure);
        },
        mayStart: () => this.#mayStart(),
        cancellation,
        slot,
      });
    } catch (cause) {
      throw cancellation.aborted && !this.#closing.aborted ? toUpstreamError(EVICTED) : cause;
    } finally {
      slot?.attempted();
    }
    this.#ended();
    if (this.#closing.aborted) {
      void connection.close();
      throw noLonger();
    }
    if (connection.isClosed) throw toUpstreamError(lost ?? ENDED);
    this.#current = connection;
    this.#connectedAt = Date.now();
    this.#failure = undefined;
    this.#options.ready(connection);
    return connection;
  }

  /** The attempt, with a limit on how long callers wait after it `began`. */
  #startedInTime(attempt: Promise<UpstreamConnection>, began: Promise<unknown>): Promise<UpstreamConnection> {
    const { waitMs } = this.#options;
    if (waitMs === undefined) return attempt;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const giveUp = () => {
        this.#starting = undefined;
        const message = `Timed out after ${waitMs} ms while starting; it may still be installing packages.`;
        this.#failure = { kind: 'timeout', message };
        this.#options.down(this.#failure);
        reject(toUpstreamError(this.#failure));
      };
      const limit = () => {
        if (this.#attempt === attempt) timer = setTimeout(giveUp, waitMs).unref();
      };
      began.then(limit, () => {});
      attempt.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  #ended(): void {
    this.#starting = undefined;
    this.#attempt = undefined;
    this.#turn = undefined;
  }

  #mayStart(): boolean {
    if (this.#wait() > 0) return false;
    this.#starts.push(Date.now());
    return true;
  }

  #lose(failure: UpstreamFailure, hung = false): void {
    if (this.#current !== undefined && Date.now() - this.#connectedAt > WINDOW_MS) this.#pauses = 0;
    this.#current = undefined;
    if (this.#closing.aborted) return;
    const rest = this.#wait();
    const delay =
      rest > 0 || (hung && this.#options.turn !== undefined) ? this.#pause(rest) : FIRST_DELAY_MS * LONGER ** (this.#starts.length - 1);
    const tooOften = `${failure.message} It was started ${MAX_STARTS} times within a minute; restarts are paused.`;
    this.#failure = rest > 0 ? { ...failure, message: tooOften } : failure;
    this.#options.down(this.#failure);
    if (this.#options.isFinal?.(failure) === true) return;
    this.#connectIn(delay);
  }

  /** Increases for each of many servers, so that failing servers do not slow down the others. */
  #pause(rest: number): number {
    return this.#options.turn === undefined ? rest : Math.max(rest, Math.min(WINDOW_MS * 2 ** this.#pauses++, LONGEST_PAUSE_MS));
  }

  #queueAgain(cause: NoRoom): void {
    const wasLasting = this.#failure?.kind === 'busy';
    if (cause.isLasting && !wasLasting) {
      this.#failure = failureOf(cause);
      this.#options.down(this.#failure);
    }
    this.#connectIn(cause.isLasting ? NO_ROOM_MS : ROOM_MS);
  }

  /** A call before then connects at once. */
  #connectIn(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.connection(false).catch(() => {}), delay).unref();
  }
}
