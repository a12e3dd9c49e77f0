/** The owners of tasks of a shared upstream: only the caller that received a task id can use it. */
import { randomUUID } from 'node:crypto';
import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import { ServerError } from '../server/channel.js';
import { metaOf } from './eras.js';

const INVALID_PARAMS = -32602;
/** Tasks that are remembered of each caller, and callers; the oldest are forgotten first. */
const MAX_TASKS = 1000;
const MAX_CALLERS = 1000;
/** A task with a longer id cannot be requested. */
const MAX_ID_LENGTH = 256;

export class TaskOwners {
  /** The ids by caller, the least recently used caller first. */
  readonly #ids = new Map<string, Set<string>>();

  /** Sends a request if the task that it names is the caller's. Rejects as for an unknown task otherwise. */
  async send(method: string, params: Fields, callerId: string, send: (params: Fields) => Promise<Fields>): Promise<Fields> {
    const named = namedIn(method, params);
    if (named !== undefined && !this.#has(callerId, named)) return refused(method, params, send);
    const result = await send(params);
    if (method === 'tasks/list') return this.#ownOf(result, callerId);
    if (named === undefined) this.#note(result, callerId);
    return result;
  }

  #has(callerId: string, id: unknown): boolean {
    return typeof id === 'string' && this.#ids.get(callerId)?.has(id) === true;
  }

  #ownOf(result: Fields, callerId: string): Fields {
    const { tasks } = result;
    if (!Array.isArray(tasks)) return result;
    return { ...result, tasks: tasks.filter((task: unknown) => isFields(task) && this.#has(callerId, task['taskId'])) };
  }

  /** Remembers the task that a result begins: in `task` since 2025-11-25, the result itself in 2026-07-28. */
  #note({ resultType, task, taskId }: Fields, callerId: string): void {
    const id = isFields(task) ? task['taskId'] : resultType === 'task' ? taskId : undefined;
    if (typeof id !== 'string' || id.length > MAX_ID_LENGTH) return;
    const ids = this.#ids.get(callerId) ?? new Set();
    this.#ids.delete(callerId);
    this.#ids.set(callerId, ids);
    ids.add(id);
    if (ids.size > MAX_TASKS) dropFirst(ids);
    if (this.#ids.size > MAX_CALLERS) dropFirst(this.#ids);
  }
}

/**
 * Sends an unknown task id, so that the upstream itself reports an unsupported method or an invalid request.
 */
async function refused(method: string, params: Fields, send: (params: Fields) => Promise<Fields>): Promise<never> {
  if (method.startsWith('tasks/')) {
    const taskId = randomUUID();
    try {
      await send('taskId' in params ? { ...params, taskId } : params);
    } catch (cause) {
      if (!(cause instanceof ServerError) || cause.code === INVALID_PARAMS) throw notFound();
      throw new ServerError(cause.code, cause.message.replaceAll(taskId, 'the task'), cause.data);
    }
  }
  throw notFound();
}

function notFound(): ServerError {
  return new ServerError(INVALID_PARAMS, 'Task not found.', undefined);
}

function dropFirst(entries: Pick<Set<string> | Map<string, unknown>, 'keys' | 'delete'>): void {
  for (const first of entries.keys()) {
    entries.delete(first);
    return;
  }
}

/** The task that a request is about or refers to. */
function namedIn(method: string, params: Fields): unknown {
  if (method.startsWith('tasks/') && method !== 'tasks/list') return params['taskId'] ?? '';
  const related = metaOf(params)?.[RELATED_TASK_META_KEY];
  return isFields(related) ? (related['taskId'] ?? '') : undefined;
}
