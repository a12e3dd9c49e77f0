/** Timeouts of many short tasks, with one timer per limit, since nearly all tasks finish long before it. */

/** A task with a timeout; `expire` is called once, unless it is removed before. */
export interface Limited {
  expire(): void;
}

/** One task in the list of all with its limit. */
export class Deadline {
  readonly limited: Limited;
  readonly due: number;
  previous: Deadline | undefined;
  next: Deadline | undefined;

  constructor(limited: Limited, due: number, previous: Deadline | undefined) {
    this.limited = limited;
    this.due = due;
    this.previous = previous;
  }
}

export class Deadlines {
  readonly #queues = new Map<number, Queue>();

  /** Returns what `remove` takes. */
  add(limited: Limited, milliseconds: number): Deadline {
    let queue = this.#queues.get(milliseconds);
    if (queue === undefined) {
      queue = new Queue(milliseconds);
      this.#queues.set(milliseconds, queue);
    }
    return queue.add(limited);
  }

  /** Does nothing for a deadline that is over or was removed. */
  remove(deadline: Deadline, milliseconds: number): void {
    this.#queues.get(milliseconds)?.remove(deadline);
  }
}

/** All have the same limit, so the first added is due first. A list, since a map is rebuilt after every few tasks. */
class Queue {
  readonly #milliseconds: number;
  #first: Deadline | undefined;
  #last: Deadline | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  add(limited: Limited): Deadline {
    const deadline = new Deadline(limited, performance.now() + this.#milliseconds, this.#last);
    if (this.#last === undefined) this.#first = deadline;
    else this.#last.next = deadline;
    this.#last = deadline;
    this.#timer ??= setTimeout(this.#expire, this.#milliseconds).unref();
    return deadline;
  }

  remove(deadline: Deadline): void {
    const { next, previous } = deadline;
    if (previous !== undefined) previous.next = next;
    else if (this.#first === deadline) this.#first = next;
    // It has been removed before.
    else return;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    // Otherwise one that V8 has moved to its old space would keep all later ones there.
    deadline.previous = undefined;
    deadline.next = undefined;
  }

  readonly #expire = (): void => {
    this.#timer = undefined;
    for (let deadline = this.#first; deadline !== undefined; deadline = this.#first) {
      const left = deadline.due - performance.now();
      if (left > 0) {
        this.#timer = setTimeout(this.#expire, Math.ceil(left)).unref();
        return;
      }
      this.remove(deadline);
      deadline.limited.expire();
    }
  };
}
