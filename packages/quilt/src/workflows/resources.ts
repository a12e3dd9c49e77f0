/** The caller's workflows as resources, and how tools and resources show them. */
import { defineResource, FootbridgeError } from 'footbridge/pack';
import { ownerOf } from 'footbridge/state';
import type { Resource } from '../failure.js';
import { type Step, type StepStatus, type Workflow, type WorkflowState, workflowState } from './record.js';
import type { WorkflowStore } from './store.js';

export const WORKFLOWS_URI = 'workflow://workflows';
const MAX_RECENT = 10;

export function statusUri(id: string): string {
  return `${WORKFLOWS_URI}/${id}/status`;
}

export function workflowResources(store: WorkflowStore): readonly Resource[] {
  return [
    defineResource({
      uri: WORKFLOWS_URI,
      name: 'workflows',
      title: 'Workflows',
      description:
        'All workflows that you track, the most recently changed first: id, state, progress and times, with a count for each state. workflow_create adds one.',
      read: async (_parameters, { caller }) => workflowList(await store.list(ownerOf(caller))),
    }),
    defineResource({
      uri: `${WORKFLOWS_URI}/{workflow_id}/status`,
      name: 'workflow-status',
      title: 'Workflow status',
      description:
        'One workflow: its steps with status, notes and times, the next steps, and the last ten changes. The ids are in workflow://workflows; workflow_update changes a step.',
      variables: {
        workflow_id: {
          complete: async (typed, { caller }) => {
            const workflows = await store.list(ownerOf(caller));
            return workflows.map(({ id }) => id).filter((id) => id.startsWith(typed.toLowerCase()));
          },
        },
      },
      async read({ workflow_id: id }, { caller }) {
        const workflow = await store.get(ownerOf(caller), id);
        if (workflow !== undefined) return workflowStatus(workflow);
        throw new FootbridgeError('NotFound', `Workflow '${id}' not found.`, {
          suggestedActions: [`Read '${WORKFLOWS_URI}' for the ids of your workflows.`],
        });
      },
    }),
  ];
}

export function workflowStatus(workflow: Workflow) {
  const { activity, description, steps } = workflow;
  return {
    ...workflowSummary(workflow),
    ...(description !== undefined && { description }),
    steps,
    next_steps: nextSteps(workflow),
    recent_activity: activity.slice(-MAX_RECENT).reverse(),
  };
}

function workflowSummary(workflow: Workflow) {
  const { created_at, id, name, steps, updated_at } = workflow;
  const state = workflowState(workflow);
  const started = steps.flatMap(({ completed_at, started_at }) => started_at ?? completed_at ?? []).sort();
  const completed = steps.flatMap(({ completed_at }) => completed_at ?? []).sort();
  return {
    id,
    name,
    state,
    progress: progressOf(steps),
    created_at,
    updated_at,
    started_at: started[0] ?? null,
    completed_at: state === 'completed' ? (completed.at(-1) ?? null) : null,
  };
}

function workflowList(workflows: readonly Workflow[]) {
  const summaries = workflows.map(workflowSummary);
  const count = (state: WorkflowState) => summaries.filter((summary) => summary.state === state).length;
  return {
    workflows: summaries,
    total: summaries.length,
    by_state: { created: count('created'), in_progress: count('in_progress'), completed: count('completed'), failed: count('failed') },
    next_steps:
      summaries.length === 0
        ? ['Call workflow_create with a name and the names of the steps to track a task.']
        : [
            `Read ${WORKFLOWS_URI}/{workflow_id}/status for the steps of a workflow.`,
            'Call workflow_update with workflow_id, step and status when a step starts or ends.',
          ],
  };
}

function progressOf(steps: readonly Step[]) {
  const progress = { total: steps.length, completed: 0, failed: 0, skipped: 0, in_progress: 0, pending: 0 };
  for (const { status } of steps) progress[status] += 1;
  // Rounded down, so that 100 means done.
  return { ...progress, percentage: Math.floor(((progress.completed + progress.skipped) * 100) / progress.total) };
}

/** Failed steps first, then running ones, then the next pending one. */
function nextSteps({ id, steps }: Workflow): string[] {
  const names = (wanted: StepStatus) => steps.filter(({ status }) => status === wanted).map(({ name }) => name);
  const call = (step: string, status: StepStatus) =>
    `workflow_update(workflow_id=${JSON.stringify(id)}, step=${JSON.stringify(step)}, status=${JSON.stringify(status)})`;
  const [pending] = names('pending');
  const advice = [
    ...names('failed').map(
      (name) => `Find out why "${name}" failed, then retry it: ${call(name, 'in_progress')}; or skip it: ${call(name, 'skipped')}.`,
    ),
    ...names('in_progress').map(
      (name) => `Finish "${name}", then ${call(name, 'completed')}; if it fails, ${call(name, 'failed')} with a note that says why.`,
    ),
    ...(pending === undefined ? [] : [`Start "${pending}": ${call(pending, 'in_progress')}.`]),
  ];
  return advice.length > 0 ? advice : ['Nothing is left to do: every step is completed or skipped.'];
}
