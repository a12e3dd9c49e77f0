/** Waiting for a job, also for one that another process runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobState } from './job-state.js';
import type { Progress } from './output.js';

export interface WaitOptions {
  readonly milliseconds: number;
  /** Calls the job off, not only the waiting. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A job of another process cannot call us. */
const LOOK_AGAIN_MS = 250;

export async function waitForEnd(
  read: () => Promise<JobState>,
  callOff: () => Promise<void>,
  { milliseconds, signal, onProgress }: WaitOptions,
): Promise<JobState> {
  const until = Date.now() + milliseconds;
  for (let told: string | undefined; ; ) {
    const state = await read();
    const telling = JSON.stringify(state.progress);
    if (state.progress !== undefined && telling !== told) onProgress?.(state.progress);
    told = telling;
    if (state.status !== 'running') return state;
    if (signal?.aborted) {
      await callOff();
      return read();
    }
    const left = until - Date.now();
    if (left <= 0) return state;
    await sleep(Math.min(left, LOOK_AGAIN_MS), undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
}
