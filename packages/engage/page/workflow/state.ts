/** The state of the workflow, an immutable value. */
import type { Fields } from '../../../footbridge/page/json.js';
import type { Progress } from '../bridge/bridge.js';
import { type Attachment, archiveIn, type Bundle, bundleIn, type CollectedArchive, type Connection, connectionIn } from './answers.js';
import type { PageFailure } from './failure.js';

export const STEPS = ['select-product', 'sos-report', 'jira-attach'] as const;
export type Step = (typeof STEPS)[number];

export type Collection =
  /** Nothing is running here. `job` may still run on the server. */
  | { readonly at: 'asking'; readonly failure?: PageFailure; readonly job?: string }
  | { readonly at: 'working'; readonly since: number; readonly progress?: Progress; readonly job?: string }
  | { readonly at: 'collected'; readonly archive: CollectedArchive; readonly fetching: boolean; readonly failure?: PageFailure }
  | { readonly at: 'fetched'; readonly bundle: Bundle };

export interface Workflow {
  readonly step: Step;
  readonly session?: string;
  readonly collection: Collection;
  readonly connection?: Connection;
  readonly attached?: { readonly attachment: Attachment; readonly jira: string };
}

export type Change = (next: (before: Workflow) => Workflow) => void;

export function startAt(step: Step): Workflow {
  return { step, collection: { at: 'asking' } };
}

/** Applies a tool result of the assistant, unless something is running in this page. */
export function withGiven(before: Workflow, given: Fields): Workflow {
  const session = typeof given['workflow_session_id'] === 'string' ? given['workflow_session_id'] : before.session;
  const connection = connectionIn(given);
  const after: Workflow = {
    ...before,
    ...(session === undefined ? {} : { session }),
    ...(connection?.status === 'active' ? { connection } : {}),
    ...(before.step === 'select-product' && session !== undefined ? { step: 'sos-report' } : {}),
  };
  if (before.collection.at === 'working') return after;
  const bundle = bundleIn(given);
  if (bundle !== undefined) return { ...after, collection: { at: 'fetched', bundle } };
  const archive = archiveIn(given);
  if (archive !== undefined) return { ...after, step: 'sos-report', collection: { at: 'collected', archive, fetching: false } };
  if (given['status'] === 'running' && typeof given['job_id'] === 'string')
    return { ...after, step: 'sos-report', collection: { at: 'asking', job: given['job_id'] } };
  return after;
}

export function isDone(workflow: Workflow, step: Step): boolean {
  if (step === 'select-product') return workflow.session !== undefined;
  if (step === 'sos-report') return workflow.collection.at === 'fetched';
  return workflow.attached !== undefined;
}
