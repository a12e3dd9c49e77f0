/** The tasks that a server is working on, as far as its messages show. */
import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import { metaOf } from './eras.js';
import type { UpstreamTransport } from './transports/transport.js';

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);
/** A task without updates for this long is considered finished. */
const LONGEST_MS = 24 * 3600_000;
/** Further tasks are not tracked: the server is in use anyway. */
const MAX = 1000;

export class OpenTasks {
  /** Until when each counts, by id. */
  readonly #until = new Map<unknown, number>();

  get isEmpty(): boolean {
    const now = Date.now();
    for (const [id, until] of this.#until) if (until < now) this.#until.delete(id);
    return this.#until.size === 0;
  }

  /** Observes the messages of a transport. */
  around(transport: UpstreamTransport): UpstreamTransport {
    return {
      ...transport,
      start: ({ receive, closed }) => {
        // A new process knows nothing of the tasks of the last one.
        this.#until.clear();
        return transport.start({
          receive: (message) => {
            this.#observe(message);
            receive(message);
          },
          closed,
        });
      },
    };
  }

  #observe({ method, params, result }: Fields): void {
    if (method === 'notifications/tasks/status' || method === 'notifications/tasks') this.#note(params);
    if (!isFields(result)) return;
    if (result['task'] !== undefined) this.#note(result['task']);
    else if (result['taskId'] !== undefined) this.#note(result);
    const related = metaOf(result)?.[RELATED_TASK_META_KEY];
    // The answer to `tasks/result`.
    if (isFields(related)) this.#until.delete(related['taskId']);
  }

  #note(task: unknown): void {
    if (!isFields(task) || typeof task['taskId'] !== 'string') return;
    const { taskId, status, ttl, ttlMs = ttl } = task;
    if (ENDED.has(status)) this.#until.delete(taskId);
    else if (this.#until.size < MAX || this.#until.has(taskId))
      this.#until.set(taskId, Date.now() + Math.min(typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : LONGEST_MS, LONGEST_MS));
  }
}
