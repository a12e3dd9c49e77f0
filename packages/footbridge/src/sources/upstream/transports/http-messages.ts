/**
 * JSON-RPC messages in HTTP bodies and event streams. The parser of event streams is our own: `eventsource-parser` takes quadratic time
 * for hostile line ends, and loses the id of an event without data.
 */
import type { IncomingMessage } from 'node:http';
import { DEEPEST, type Fields, isFields, MAX_VALUES, parseBounded } from '../../../json.js';
import { JsonQueue } from '../../../json-queue.js';
import { LARGE_JSON, parseInTurns } from '../../../json-turns.js';
import { LargeAnswer } from './large-answer.js';
import { LONGEST_MESSAGE } from './transport.js';

/** One message or a batch; undefined for anything else. */
export function parseMessages(text: string): readonly Fields[] | undefined {
  return messagesIn(parseBounded(text));
}

/** As `parseMessages`; a large text is parsed in several turns. */
export async function messagesInTurns(text: string): Promise<readonly Fields[] | undefined> {
  if (text.length <= LARGE_JSON) return parseMessages(text);
  const parsed = await parseInTurns(text, LIMITS);
  return 'value' in parsed ? messagesIn(parsed.value) : undefined;
}

const LIMITS = { values: MAX_VALUES, depth: DEEPEST };

function messagesIn(value: unknown): readonly Fields[] | undefined {
  if (isFields(value)) return [value];
  return Array.isArray(value) && value.every(isFields) ? value : undefined;
}

export function isOutgoingRequest(message: Fields): boolean {
  return typeof message['method'] === 'string' && message['id'] !== undefined;
}

/** The id of the cancelled request. */
export function withdrawnId({ params }: Fields): unknown {
  return isFields(params) ? params['requestId'] : undefined;
}

/** The state of a stream at its end. */
export interface StreamEnd {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
  readonly tooLong: boolean;
}

export interface StreamHandler {
  message(message: Fields): void;
  /** An event of another type than `message`. */
  event?(name: string, data: string): void;
  ended(end: StreamEnd): void;
}

export function readStream(response: IncomingMessage, host: string, handler: StreamHandler): void {
  const answer = new LargeAnswer(response, host);
  const texts = new JsonQueue(response, LIMITS, (parsed) => {
    for (const message of ('value' in parsed ? messagesIn(parsed.value) : undefined) ?? []) handler.message(message);
    answer.done();
  });
  const parser = new EventParser((name, data) => {
    if (name === 'message') texts.push(data);
    else handler.event?.(name, data);
  }, LONGEST_MESSAGE);
  let tooLong = false;
  let over = false;
  const finish = (): void => {
    if (texts.idle !== undefined) return void texts.idle.then(finish);
    if (over) return;
    over = true;
    answer.done();
    handler.ended({ lastEventId: parser.lastEventId, retryMs: parser.retryMs, tooLong });
  };
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    if (tooLong) return;
    if (parser.feed(text)) return answer.received(parser.pending);
    tooLong = true;
    response.destroy();
  });
  response.on('end', finish);
  response.on('close', finish);
}

/** Receives an event with data; `name` defaults to `message`. */
type EventListener = (name: string, data: string) => void;

const LINE_FEED = 10;
const SPACE = 32;
const BYTE_ORDER_MARK = 0xfeff;

export class EventParser {
  /** The id of the last complete event, even without data. */
  lastEventId: string | undefined;
  /** The server's reconnection delay. */
  retryMs: number | undefined;

  readonly #listener: EventListener;
  readonly #longest: number;
  /** The beginning of an incomplete line. */
  #pieces: string[] = [];
  #pending = 0;
  #first = true;
  #afterReturn = false;
  #name = '';
  #id: string | undefined;
  #data: string | undefined;

  constructor(listener: EventListener, longest: number) {
    this.#listener = listener;
    this.#longest = longest;
  }

  /** Parses the next chunk. False when an event exceeds the limit; parsing cannot continue then. */
  feed(chunk: string): boolean {
    let text = chunk;
    if (text === '') return true;
    if (this.#first && text.charCodeAt(0) === BYTE_ORDER_MARK) text = text.slice(1);
    this.#first = false;
    if (this.#afterReturn && text.charCodeAt(0) === LINE_FEED) text = text.slice(1);
    this.#afterReturn = false;
    const returns = text.includes('\r');
    if (!returns && !text.includes('\n')) return this.#keep(text);
    if (this.#pieces.length > 0) {
      text = this.#pieces.join('') + text;
      this.#pieces = [];
      this.#pending = 0;
    }
    const rest = this.#lines(text, returns);
    return rest === '' ? this.#isShort() : this.#keep(rest);
  }

  /** Characters of the event that is incomplete, about. */
  get pending(): number {
    return this.#pending + (this.#data?.length ?? 0);
  }

  #keep(piece: string): boolean {
    this.#pieces.push(piece);
    this.#pending += piece.length;
    return this.#isShort();
  }

  #isShort(): boolean {
    return this.pending <= this.#longest;
  }

  /** Parses complete lines; returns the rest. */
  #lines(text: string, returns: boolean): string {
    let at = 0;
    let nextReturn = returns ? text.indexOf('\r') : -1;
    let nextFeed = text.indexOf('\n');
    while (nextReturn !== -1 || nextFeed !== -1) {
      const byReturn = nextReturn !== -1 && (nextFeed === -1 || nextReturn < nextFeed);
      const end = byReturn ? nextReturn : nextFeed;
      this.#line(text, at, end);
      at = end + 1;
      if (byReturn && at === text.length) this.#afterReturn = true;
      if (byReturn && nextFeed === at) at++;
      if (nextReturn !== -1 && nextReturn < at) nextReturn = text.indexOf('\r', at);
      if (nextFeed !== -1 && nextFeed < at) nextFeed = text.indexOf('\n', at);
    }
    return text.slice(at);
  }

  #line(text: string, start: number, end: number): void {
    if (start === end) this.#dispatch();
    else if (text.startsWith('data:', start)) this.#addData(text.slice(valueAt(text, start + 5), end));
    else this.#field(text.slice(start, end));
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(valueAt(line, colon + 1));
    if (field === 'data') this.#addData(value);
    else if (field === 'event') this.#name = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  #dispatch(): void {
    const name = this.#name || 'message';
    const data = this.#data;
    this.#name = '';
    this.#data = undefined;
    // An empty id resets it.
    if (this.#id !== undefined) this.lastEventId = this.#id || undefined;
    if (data) this.#listener(name, data);
  }
}

function valueAt(text: string, at: number): number {
  return text.charCodeAt(at) === SPACE ? at + 1 : at;
}
