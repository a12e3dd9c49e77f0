/** Parses the texts of a stream as JSON, in order, in slices between which other tasks run. */
import { type JsonLimits, LARGE_JSON, type ParsedJson, parseInTurns, parseSmall } from './json-turns.js';
import { Turns } from './turns.js';

/** Texts that are parsed between two looks at the clock. */
const UNTIMED = 8;
/** The time that one turn may take, including the work its texts cause. The number of texts adapts to it. */
const TURN_MS = 3;
const FEWEST_AT_ONCE = 4;
const MAX_AT_ONCE = 512;
/** Characters that may be queued behind a text before the stream is paused. */
const MAX_BEHIND = 256 * 1024;

/**
 * Parses texts one after the other: small ones at once, within the time of a turn, and large ones in several turns. Later texts wait
 * unless they are urgent.
 */
export class JsonQueue {
  readonly #input: JsonInput;
  readonly #limits: JsonLimits;
  readonly #take: (parsed: ParsedJson, text: string) => void;
  readonly #isUrgent: (text: string) => boolean;
  readonly #waiting: string[] = [];
  #running: Promise<void> | undefined;
  /** Characters of all queued texts. */
  #characters = 0;
  /** Texts left in this turn of the event loop: a stream may deliver megabytes in one. */
  #turn: Turn | undefined;
  /** Texts that one turn takes. */
  #atOnce = UNTIMED;
  #untimed = 0;

  /** `isUrgent` decides whether a small text overtakes queued ones. */
  constructor(
    input: JsonInput,
    limits: JsonLimits,
    take: (parsed: ParsedJson, text: string) => void,
    isUrgent: (text: string) => boolean = () => false,
  ) {
    this.#input = input;
    this.#limits = limits;
    this.#take = take;
    this.#isUrgent = isUrgent;
  }

  /** Undefined if nothing is queued, otherwise resolves when the queue is empty. */
  get idle(): Promise<void> | undefined {
    return this.#running;
  }

  push(text: string): void {
    const isSmall = text.length <= LARGE_JSON;
    if (isSmall && (this.#running === undefined ? !this.#isOver() : this.#isUrgent(text))) {
      this.#take(parseSmall(text, this.#limits), text);
      return;
    }
    this.#waiting.push(text);
    this.#characters += text.length;
    this.#running ??= this.#run();
    if (this.#characters - (this.#waiting[0]?.length ?? 0) > MAX_BEHIND) this.#input.pause();
  }

  async #run(): Promise<void> {
    const turns = new Turns('call', TURN_MS);
    await turns.next();
    let turn = this.#begin();
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      this.#characters -= text.length;
      const parsed = text.length <= LARGE_JSON ? parseSmall(text, this.#limits) : await parseInTurns(text, this.#limits);
      this.#take(parsed, text);
      if (++turn.taken < this.#atOnce && !turns.isOver) continue;
      await turns.next();
      turn = this.#begin();
    }
    this.#running = undefined;
    this.#input.resume();
  }

  #isOver(): boolean {
    // Most turns have few texts, and are not worth timing.
    if (this.#turn === undefined && ++this.#untimed % UNTIMED !== 0) return false;
    const turn = this.#turn ?? this.#begin();
    return turn.taken++ >= this.#atOnce || performance.now() - turn.begin > TURN_MS;
  }

  /** A turn is over when all work that its texts caused has run, unless it waits for another turn. */
  #begin(): Turn {
    const turn = { begin: performance.now(), taken: 0 };
    this.#turn = turn;
    setImmediate(() => {
      const took = performance.now() - turn.begin;
      if (took > TURN_MS) this.#atOnce = Math.max(FEWEST_AT_ONCE, Math.min(this.#atOnce, Math.floor((turn.taken * TURN_MS) / took)));
      else if (turn.taken >= this.#atOnce && took < TURN_MS / 2) this.#atOnce = Math.min(MAX_AT_ONCE, this.#atOnce * 2);
      if (this.#turn === turn) this.#turn = undefined;
    });
    return turn;
  }
}

/** A turn of the event loop, and how many texts it took. */
interface Turn {
  readonly begin: number;
  taken: number;
}

/** The stream of texts. It is paused while many are queued, and resumed when none is. */
export interface JsonInput {
  pause(): void;
  resume(): void;
}
