/** Keeps one connection to a server: made when it is needed, made anew when it breaks, and not too often. */
import { reasonOf } from '../../errors.js';
import { Cancellation } from '../context.js';
import type { Link } from './link.js';

/** One try to connect. */
export interface Attempt {
  /** To be told when the connection ends by itself. */
  lost(reason: string): void;
  /** To be asked before a server is started: false when it was started too often. */
  mayStart(): boolean;
  /** Nobody wants the connection any more. */
  readonly cancellation: Cancellation;
}

export interface KeeperOptions {
  connect(attempt: Attempt): Promise<Link>;
  /** A connection is there. */
  ready(link: Link): void;
  /** There is none, for this reason. */
  down(reason: string): void;
  /** How long whoever wants a connection waits for it, where the try itself may take longer. */
  readonly patienceMs: number | undefined;
}

/** Starts within `WINDOW_MS`; a server that needs more is left alone for a while. */
const MOST_STARTS = 5;
const WINDOW_MS = 60_000;
/** Before the first start again; each time it is this many times longer. */
const FIRST_DELAY_MS = 250;
const LONGER = 2.5;
const NO_LONGER = 'It is no longer served.';

export class Keeper {
  readonly #options: KeeperOptions;
  #current: Link | undefined;
  /** What those wait for who want a connection that is being made; none when it takes too long. */
  #starting: Promise<Link> | undefined;
  /** The try that is being made, however long it takes. */
  #attempt: Promise<Link> | undefined;
  #starts: number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #trouble: string | undefined;
  readonly #closing = new Cancellation();

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** The connection, if there is one just now. */
  get current(): Link | undefined {
    return this.#current;
  }

  /** Why there is none, where one was wanted. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** The connection, as soon as there is one. Rejects with an error whose message is fit for a person. */
  link(): Promise<Link> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    if (this.#starting !== undefined) return this.#starting;
    if (this.#closing.aborted) return Promise.reject(new Error(NO_LONGER));
    if (this.#attempt !== undefined || this.#wait() > 0) return Promise.reject(new Error(this.#trouble ?? 'It ended too often.'));
    return this.#start();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    const attempt = this.#attempt;
    const link = this.#current ?? (await attempt?.catch(() => undefined));
    this.#current = undefined;
    await link?.close();
  }

  /** How long until it may be started again. */
  #wait(): number {
    const now = Date.now();
    this.#starts = this.#starts.filter((at) => now - at < WINDOW_MS);
    const [oldest] = this.#starts;
    return oldest === undefined || this.#starts.length < MOST_STARTS ? 0 : oldest + WINDOW_MS - now;
  }

  #start(): Promise<Link> {
    clearTimeout(this.#timer);
    let lost: string | undefined;
    let link: Link | undefined;
    const attempt = this.#options
      .connect({
        lost: (reason) => {
          lost = reason;
          if (link !== undefined && this.#current === link) this.#lose(reason);
        },
        mayStart: () => this.#mayStart(),
        cancellation: this.#closing,
      })
      .then((connected) => {
        link = connected;
        this.#ended();
        if (this.#closing.aborted) {
          void connected.close();
          throw new Error(NO_LONGER);
        }
        if (connected.isClosed) throw new Error(lost ?? 'It ended.');
        this.#current = connected;
        this.#trouble = undefined;
        this.#options.ready(connected);
        return connected;
      })
      .catch((cause: unknown) => {
        this.#ended();
        this.#lose(reasonOf(cause));
        throw cause;
      });
    this.#attempt = attempt;
    this.#starting = this.#patient(attempt);
    return this.#starting;
  }

  /** The try as those wait for it who want the connection. */
  #patient(attempt: Promise<Link>): Promise<Link> {
    const { patienceMs } = this.#options;
    if (patienceMs === undefined) return attempt;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#starting = undefined;
        this.#trouble = `It did not start within ${patienceMs / 1000} s, and is given more time: it may be installing itself.`;
        this.#options.down(this.#trouble);
        reject(new Error(this.#trouble));
      }, patienceMs).unref();
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

  #lose(reason: string): void {
    this.#current = undefined;
    if (this.#closing.aborted) return;
    const rest = this.#wait();
    const delay = rest > 0 ? rest : FIRST_DELAY_MS * LONGER ** (this.#starts.length - 1);
    this.#trouble = rest > 0 ? `${reason} It was started ${MOST_STARTS} times within a minute, and is left alone for a while.` : reason;
    this.#options.down(this.#trouble);
    // Nobody waits for this one: whoever calls starts it themselves.
    this.#timer = setTimeout(() => void this.link().catch(() => {}), delay).unref();
  }
}
