/** What resources and tools show of a workflow. */
import { type Activity, type Step, type StepStatus, stateOf, type Workflow, type WorkflowState } from './record.js';

export const WORKFLOWS_URI = 'workflow://workflows';
const MOST_RECENT = 10;

export function statusUri(id: string): string {
  return `${WORKFLOWS_URI}/${id}/status`;
}

interface Progress extends Record<StepStatus, number> {
  readonly total: number;
  /** Of the steps that are completed or skipped. */
  readonly percentage: number;
}

interface Summary {
  readonly id: string;
  readonly name: string;
  readonly state: WorkflowState;
  readonly progress: Progress;
  readonly created_at: string;
  readonly updated_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
}

interface Status extends Summary {
  readonly description?: string;
  readonly steps: readonly Step[];
  /** What can be done now, for a model to act on. */
  readonly next_steps: readonly string[];
  /** The newest first. */
  readonly recent_activity: readonly Activity[];
}

export function summaryOf(workflow: Workflow): Summary {
  const { created_at, id, name, steps, updated_at } = workflow;
  const state = stateOf(workflow);
  const begun = steps.flatMap(({ completed_at, started_at }) => started_at ?? completed_at ?? []);
  const ended = steps.flatMap(({ completed_at }) => completed_at ?? []);
  return {
    id,
    name,
    state,
    progress: progressOf(steps),
    created_at,
    updated_at,
    started_at: begun.sort()[0] ?? null,
    completed_at: state === 'completed' ? (ended.sort().at(-1) ?? null) : null,
  };
}

export function statusOf(workflow: Workflow): Status {
  const { activity, description, steps } = workflow;
  return {
    ...summaryOf(workflow),
    ...(description === undefined ? {} : { description }),
    steps,
    next_steps: nextSteps(workflow),
    recent_activity: activity.slice(-MOST_RECENT).reverse(),
  };
}

export function overviewOf(workflows: readonly Workflow[]) {
  const summaries = workflows.map(summaryOf);
  const count = (state: WorkflowState) => summaries.filter((summary) => summary.state === state).length;
  return {
    workflows: summaries,
    total: summaries.length,
    by_state: { created: count('created'), in_progress: count('in_progress'), completed: count('completed'), failed: count('failed') },
    next_steps:
      summaries.length === 0
        ? ['Call workflow_create with a name and the names of the steps to begin to track a piece of work.']
        : [
            `Read ${WORKFLOWS_URI}/{workflow_id}/status for the steps of one of them.`,
            'Call workflow_update with workflow_id, step and status when a step begins or ends.',
          ],
  };
}

function progressOf(steps: readonly Step[]): Progress {
  const progress = { total: steps.length, completed: 0, failed: 0, skipped: 0, in_progress: 0, pending: 0 };
  for (const { status } of steps) progress[status] += 1;
  // Rounded down: only what is done is at 100.
  return { ...progress, percentage: Math.floor(((progress.completed + progress.skipped) * 100) / progress.total) };
}

/** What failed comes first, then what was begun, then what is next in order. */
function nextSteps({ id, steps }: Workflow): string[] {
  const names = (wanted: StepStatus) => steps.filter(({ status }) => status === wanted).map(({ name }) => name);
  const call = (step: string, status: StepStatus) =>
    `workflow_update(workflow_id=${JSON.stringify(id)}, step=${JSON.stringify(step)}, status=${JSON.stringify(status)})`;
  const [pending] = names('pending');
  const advice = [
    ...names('failed').map(
      (name) =>
        `Find out why ${quoted(name)} failed, then try it again: ${call(name, 'in_progress')}; or leave it out: ${call(name, 'skipped')}.`,
    ),
    ...names('in_progress').map(
      (name) =>
        `Finish ${quoted(name)}, then ${call(name, 'completed')}; if it goes wrong ${call(name, 'failed')} with a note that says why.`,
    ),
    ...(pending === undefined ? [] : [`Begin ${quoted(pending)}: ${call(pending, 'in_progress')}.`]),
  ];
  return advice.length > 0 ? advice : ['Nothing is left to do: every step is completed or skipped.'];
}

function quoted(name: string): string {
  return `"${name}"`;
}
