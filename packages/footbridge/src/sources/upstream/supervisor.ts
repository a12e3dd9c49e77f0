/** Supervises one connection to a server: opens it on demand and reopens it with back-off. */
import { Cancellation } from '../context.js';
import type { UpstreamConnection } from './connection.js';
import { failureOf, toUpstreamError, UpstreamError, type UpstreamFailure } from './failure.js';

export interface Attempt {
  /** Call when the connection ends. */
  lost(failure: UpstreamFailure): void;
  /** Call before a server is started; false when it was started too often. */
  mayStart(): boolean;
  /** Aborted when the supervisor closes. */
  readonly cancellation: Cancellation;
}

export interface SupervisorOptions {
  connect(attempt: Attempt): Promise<UpstreamConnection>;
  ready(connection: UpstreamConnection): void;
  down(failure: UpstreamFailure): void;
  /** Whether it only makes sense to connect again after `retry`. */
  isFinal?(failure: UpstreamFailure): boolean;
  /** How long callers wait for a connection, where the attempt itself may take longer. */
  readonly waitMs: number | undefined;
}

/** Starts within `WINDOW_MS`; after that restarts are paused. */
const MOST_STARTS = 5;
const WINDOW_MS = 60_000;
/** Before the first restart, then `LONGER` times as long each time. */
const FIRST_DELAY_MS = 250;
const LONGER = 2.5;

const TOO_OFTEN: UpstreamFailure = { kind: 'exited', message: 'It was restarted too often.' };
const ENDED: UpstreamFailure = { kind: 'disconnected', message: 'The connection ended.' };
const noLonger = () => new UpstreamError('disconnected', 'The connection is closed.');

export class Supervisor {
  readonly #options: SupervisorOptions;
  #current: UpstreamConnection | undefined;
  /** What callers wait for; undefined after `waitMs`. */
  #starting: Promise<UpstreamConnection> | undefined;
  /** The running attempt, however long it takes. */
  #attempt: Promise<UpstreamConnection> | undefined;
  #starts: number[] = [];
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

  /** Opens the connection if necessary. Rejects with an `UpstreamError`. */
  connection(): Promise<UpstreamConnection> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    if (this.#starting !== undefined) return this.#starting;
    if (this.#closing.aborted) return Promise.reject(noLonger());
    if (this.#attempt !== undefined || this.#wait() > 0) return Promise.reject(toUpstreamError(this.#failure ?? TOO_OFTEN));
    return this.#start();
  }

  /** Connects again at once: what prevented it has changed. */
  retry(): void {
    this.#starts = [];
    if (this.#current === undefined && this.#attempt === undefined) void this.connection().catch(() => {});
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    const attempt = this.#attempt;
    const connection = this.#current ?? (await attempt?.catch(() => undefined));
    this.#current = undefined;
    await connection?.close();
  }

  /** Milliseconds until the next start is allowed. */
  #wait(): number {
    const now = Date.now();
    this.#starts = this.#starts.filter((at) => now - at < WINDOW_MS);
    const [oldest] = this.#starts;
    return oldest === undefined || this.#starts.length < MOST_STARTS ? 0 : oldest + WINDOW_MS - now;
  }

  #start(): Promise<UpstreamConnection> {
    clearTimeout(this.#timer);
    let lost: UpstreamFailure | undefined;
    let connection: UpstreamConnection | undefined;
    const attempt = this.#options
      .connect({
        lost: (failure) => {
          lost = failure;
          if (connection !== undefined && this.#current === connection) this.#lose(failure);
        },
        mayStart: () => this.#mayStart(),
        cancellation: this.#closing,
      })
      .then((connected) => {
        connection = connected;
        this.#ended();
        if (this.#closing.aborted) {
          void connected.close();
          throw noLonger();
        }
        if (connected.isClosed) throw toUpstreamError(lost ?? ENDED);
        this.#current = connected;
        this.#failure = undefined;
        this.#options.ready(connected);
        return connected;
      })
      .catch((cause: unknown) => {
        this.#ended();
        this.#lose(failureOf(cause));
        throw cause;
      });
    this.#attempt = attempt;
    this.#starting = this.#patient(attempt);
    return this.#starting;
  }

  /** The attempt, with a limit on how long callers wait. */
  #patient(attempt: Promise<UpstreamConnection>): Promise<UpstreamConnection> {
    const { waitMs } = this.#options;
    if (waitMs === undefined) return attempt;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#starting = undefined;
        const message = `Timed out after ${waitMs} ms while starting; it may still be installing packages.`;
        this.#failure = { kind: 'timeout', message };
        this.#options.down(this.#failure);
        reject(toUpstreamError(this.#failure));
      }, waitMs).unref();
      attempt.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  #ended(): void {
    this.#starting = undefined;
    this.#attempt = undefined;
  }

  #mayStart(): boolean {
    if (this.#wait() > 0) return false;
    this.#starts.push(Date.now());
    return true;
  }

  #lose(failure: UpstreamFailure): void {
    this.#current = undefined;
    if (this.#closing.aborted) return;
    const rest = this.#wait();
    const delay = rest > 0 ? rest : FIRST_DELAY_MS * LONGER ** (this.#starts.length - 1);
    const tooOften = `${failure.message} It was started ${MOST_STARTS} times within a minute; restarts are paused.`;
    this.#failure = rest > 0 ? { ...failure, message: tooOften } : failure;
    this.#options.down(this.#failure);
    if (this.#options.isFinal?.(failure) === true) return;
    // A call before then starts it at once.
    this.#timer = setTimeout(() => void this.connection().catch(() => {}), delay).unref();
  }
}
