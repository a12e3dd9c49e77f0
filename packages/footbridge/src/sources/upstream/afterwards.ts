/** Work that has time until hosts have got what they wait for: done in slices. */
import { Turns } from '../../turns.js';

/** After the first that was added: on a busy machine, a host waits for its lists for some of that. */
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
