/** Timeouts of many short tasks, with one timer for all that have the same limit: nearly all finish long before. */

/** A task with a timeout; `expire` is called once, unless it is removed before. */
export interface Limited {
  expire(): void;
}

export class Deadlines {
  readonly #queues = new Map<number, Queue>();

  add(limited: Limited, milliseconds: number): void {
    let queue = this.#queues.get(milliseconds);
    if (queue === undefined) {
      queue = new Queue(milliseconds);
      this.#queues.set(milliseconds, queue);
    }
    queue.add(limited);
  }

  remove(limited: Limited, milliseconds: number): void {
    this.#queues.get(milliseconds)?.remove(limited);
  }
}

/** All have the same limit, so the first added is due first. */
class Queue {
  readonly #milliseconds: number;
  readonly #due = new Map<Limited, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  add(limited: Limited): void {
    this.#due.set(limited, performance.now() + this.#milliseconds);
    this.#timer ??= setTimeout(this.#expire, this.#milliseconds).unref();
  }

  remove(limited: Limited): void {
    this.#due.delete(limited);
  }

  readonly #expire = (): void => {
    this.#timer = undefined;
    for (const [limited, due] of this.#due) {
      const left = due - performance.now();
      if (left > 0) {
        this.#timer = setTimeout(this.#expire, Math.ceil(left)).unref();
        return;
      }
      this.#due.delete(limited);
      limited.expire();
    }
  };
}
