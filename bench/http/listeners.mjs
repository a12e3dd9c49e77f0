// Clients that keep a stream open for notifications, one kind per transport.
import { setTimeout } from 'node:timers/promises';
import { open } from './connection.mjs';
import { beginSession, initialize, initialized, modernStream, oldStream, sessionStream } from './requests.mjs';

const CHANGED = 'notifications/tools/list_changed';
const OPEN_MS = 15_000;

/** A stream and its most recent text. */
class Listener {
  /** When it last received `list_changed` for tools. */
  heardAt = 0;
  /** Why the stream ended, if it has. */
  ended;
  #text = '';

  constructor(way, connection, request) {
    this.way = way;
    connection
      .stream(request, (part) => this.#take(part.toString('utf8')))
      .then(
        ({ status }) => this.#end(`status ${status}`),
        (error) => this.#end(error.message),
      );
  }

  /** Resolves with the match once it was received. */
  async hear(pattern) {
    for (const end = performance.now() + OPEN_MS; performance.now() < end && this.ended === undefined; await setTimeout(10)) {
      const found = pattern.exec(this.#text);
      if (found !== null) return found;
    }
    throw new Error(`A stream (${this.way}) did not open: ${this.ended ?? 'nothing came'}`);
  }

  #take(text) {
    // A message may arrive in two parts; older text does not matter.
    this.#text = (this.#text + text).slice(-1000);
    if (!this.#text.includes(CHANGED)) return;
    this.heardAt = performance.now();
    this.#text = '';
  }

  #end(reason) {
    this.ended = reason;
  }
}

const OPENERS = [
  async function modern(port) {
    const listener = new Listener('modern', await open(port), modernStream());
    await listener.hear(/acknowledged/);
    return listener;
  },
  async function session(port) {
    const connection = await open(port);
    return new Listener('session', connection, sessionStream(await beginSession(connection)));
  },
  async function sse(port) {
    const listener = new Listener('sse', await open(port), oldStream());
    const [, path] = await listener.hear(/^data: *(\/\S+)/m);
    const messages = await open(port);
    for (const message of [initialize(path), initialized(undefined, path)]) {
      const { status } = await messages.send(message);
      if (status !== 202) throw new Error(`A message was not taken: status ${status}`);
    }
    messages.close();
    await listener.hear(/serverInfo/);
    return listener;
  },
];

/** Opens one stream, of each kind in turn. */
export function openListener(port, index) {
  return OPENERS[index % OPENERS.length](port);
}
