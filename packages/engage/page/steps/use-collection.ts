/** The logic of step two: collects, polls a background job, and fetches. */
import { useLeaving } from '../parts/task.js';
import type { CollectedArchive } from '../workflow/answers.js';
import { collect, follow, type Watching, type Wishes } from '../workflow/collect.js';
import { type PageFailure, toFailure, wasAborted } from '../workflow/failure.js';
import type { Collection } from '../workflow/state.js';
import { fetchBundle, selectProduct } from '../workflow/tools.js';
import type { StepProps } from './step.js';

/** The session is invalid: the next attempt starts a new one. */
const SESSION_OVER = new Set(['workflow_session_invalid', 'product_selection_required', 'consent_session_mismatch', 'consent_wrong_user']);

export interface Actions {
  readonly collectNow: (wishes: Wishes) => Promise<void>;
  readonly followJob: (job: string) => Promise<void>;
  readonly fetchIt: (archive: CollectedArchive) => Promise<void>;
  readonly startOver: () => void;
}

export function useCollection({ bridge, workflow, change }: StepProps): Actions {
  const leaving = useLeaving();
  const become = (next: (before: Collection) => Collection) => change((before) => ({ ...before, collection: next(before.collection) }));

  const watching = (): Watching => ({
    signal: leaving,
    onProgress: (progress) => become((before) => (before.at === 'working' ? { ...before, progress } : before)),
    onJob: (job) => become((before) => (before.at === 'working' ? { ...before, job } : before)),
  });

  const fetchIt = async (archive: CollectedArchive) => {
    become(() => ({ at: 'collected', archive, fetching: true }));
    try {
      const bundle = await fetchBundle(bridge, archive.reference);
      become(() => ({ at: 'fetched', bundle }));
    } catch (cause) {
      become(() => ({ at: 'collected', archive, fetching: false, failure: toFailure(cause) }));
    }
  };

  const work = async (action: () => Promise<CollectedArchive>) => {
    become(() => ({ at: 'working', since: Date.now() }));
    try {
      await fetchIt(await action());
    } catch (cause) {
      if (wasAborted(cause)) return;
      const failure = toFailure(cause);
      become((before) => ({ at: 'asking', failure, ...jobLeft(before, failure) }));
      if (SESSION_OVER.has(failure.code)) change(({ session: _over, ...rest }) => rest);
    }
  };

  return {
    fetchIt,
    collectNow: (wishes) =>
      work(async () => {
        const session = workflow.session ?? (await selectProduct(bridge));
        change((before) => ({ ...before, session }));
        return collect(bridge, session, wishes, watching());
      }),
    followJob: (job) => work(() => follow(bridge, job, watching())),
    startOver: () => become(() => ({ at: 'asking' })),
  };
}

/** The job may still be running. */
function jobLeft(before: Collection, { code }: PageFailure): { readonly job?: string } {
  return before.at === 'working' && before.job !== undefined && code === 'unreachable' ? { job: before.job } : {};
}
