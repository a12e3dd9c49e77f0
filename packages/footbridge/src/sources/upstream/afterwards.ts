/** Deferred work, which runs in slices after hosts have received their answers. */
import { Turns } from '../../turns.js';

/** The delay after the first task was added: on a busy machine, a host may wait that long for its lists. */
const REST_MS = 500;

export class Afterwards {
  readonly #works: (() => Promise<void>)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  add(work: () => Promise<void>): void {
    this.#works.push(work);
    this.#timer ??= setTimeout(() => void this.#run(), REST_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const turns = new Turns();
    for (let work = this.#works.shift(); work !== undefined && !this.#isClosed; work = this.#works.shift()) {
      await work();
      if (turns.isOver) await turns.next();
    }
    this.#timer = undefined;
  }
}
