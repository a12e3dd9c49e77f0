/** Collects an sosreport and polls the job until it ends. */
import { type Fields, isFields, textIn } from '../../../footbridge/page/json.js';
import type { Bridge, Progress } from '../bridge/bridge.js';
import { archiveIn, type CollectedArchive, present } from './answers.js';
import { failureOf, PageFailure } from './failure.js';
import { ask, mintConsent } from './tools.js';

const LOOK_AGAIN_MS = 3000;
/** Consecutive failures before polling stops. */
const MISSES = 5;

export interface Wishes {
  readonly only_plugins?: readonly string[];
  readonly log_size?: string;
  readonly redaction?: boolean;
}

export interface Watching {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Called with the id of a job that continues in the background. */
  readonly onJob: (job: string) => void;
}

/** Mints the consent right before using it. */
export async function collect(bridge: Bridge, session: string, wishes: Wishes, watching: Watching): Promise<CollectedArchive> {
  const { onProgress, signal } = watching;
  const consent = await mintConsent(bridge, session);
  const input = { consent_token: consent, workflow_session_id: session, ...wishes };
  const answer = await ask(bridge, 'generate_sosreport', input, { onProgress, signal });
  const job = textIn(answer, 'job_id');
  if (answer['status'] === 'running' && job !== undefined) return follow(bridge, job, watching);
  return present(archiveIn(answer));
}

/** Polls a job until it ends. */
export async function follow(bridge: Bridge, job: string, { signal, onProgress, onJob }: Watching): Promise<CollectedArchive> {
  onJob(job);
  for (let misses = 0; ; ) {
    await pause(LOOK_AGAIN_MS, signal);
    let answer: Fields;
    try {
      answer = await ask(bridge, 'get_generate_sosreport_status', { job_id: job }, { signal });
      misses = 0;
    } catch (cause) {
      if (!(cause instanceof PageFailure) || cause.code !== 'unreachable' || ++misses === MISSES) throw cause;
      continue;
    }
    const { status, progress, error } = answer;
    if (status === 'completed') return present(archiveIn(answer));
    if (status !== 'running') throw failureOf({ isError: true, structuredContent: isFields(error) ? error : answer, text: '' });
    if (isFields(progress)) onProgress(progressIn(progress));
  }
}

function progressIn(fields: Fields): Progress {
  const { done, total } = fields;
  return {
    done: typeof done === 'number' ? done : 0,
    total: typeof total === 'number' && total > 0 ? total : undefined,
    message: textIn(fields, 'message'),
  };
}

/** Rejects when aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(new DOMException('The wait was aborted.', 'AbortError'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
