/** The tools that create and update workflows. */
import { defineTool, type Pack } from 'footbridge/pack';
import { ownerOf } from 'footbridge/state';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import type { Secrets } from '../secrets.js';
import { changeStep, MAX_NAME_LENGTH, MAX_NOTE_LENGTH, MAX_STEPS, STEP_STATUSES, type Workflow } from './record.js';
import { statusUri, WORKFLOWS_URI, workflowStatus } from './resources.js';
import { TooManyWorkflows, type WorkflowStore } from './store.js';

type AnyTool = NonNullable<Pack['tools']>[number];
type Result = Awaited<ReturnType<AnyTool['call']>>;

/** Secrets in the input, such as signed URLs in a note, are neither stored nor repeated. */
function inputs(secrets: Secrets) {
  const text = z
    .string()
    .trim()
    .overwrite((given) => secrets.redact(given));
  const name = text
    .min(1)
    .max(MAX_NAME_LENGTH)
    .refine((given) => !/\p{Cc}/u.test(given), { error: 'must be a single line without control characters' });
  const note = text.min(1).max(MAX_NOTE_LENGTH);
  const create = z.strictObject({
    name: name.describe('The name of the task, such as "Import genomes".'),
    steps: z
      .array(name)
      .min(1)
      .max(MAX_STEPS)
      .refine((steps) => new Set(steps).size === steps.length, { error: 'step names must be unique' })
      .describe('The names of the steps in order, such as ["Collect files", "Check metadata", "Push package"].'),
    description: note.optional().describe('Its purpose, and what someone who continues it needs to know.'),
  });
  const update = z.strictObject({
    workflow_id: text.min(1).describe(`From workflow_create or ${WORKFLOWS_URI}.`),
    step: text.min(1).describe('The name of the step, exactly as passed to workflow_create.'),
    status: z.enum(STEP_STATUSES).describe('The new status of the step.'),
    note: note.optional().describe('What was done, or why it failed or was skipped.'),
  });
  return { create, update };
}

/** `updated` is called with the URI of each changed resource. */
export function workflowTools(store: WorkflowStore, updated: (uri: string) => void, secrets: Secrets): readonly AnyTool[] {
  const { create, update } = inputs(secrets);
  const changed = (workflow: Workflow, what: string): Result => {
    updated(WORKFLOWS_URI);
    updated(statusUri(workflow.id));
    return success(workflow, what);
  };
  return [
    defineTool({
      name: 'workflow_create',
      title: 'Create a workflow',
      description: `Start tracking a task with several steps, such as creating a Quilt package, so that it can be continued later or by someone else. Returns the workflow_id for workflow_update; ${WORKFLOWS_URI} lists all your workflows, and ${WORKFLOWS_URI}/{workflow_id}/status shows one. It does not perform the steps.`,
      input: create,
      annotations: { title: 'Create a workflow', ...ANNOTATIONS, idempotentHint: false },
      refuse: (problem) => invalidInput('workflow_create', problem),
      async call(given, { caller }) {
        try {
          return changed(await store.create(ownerOf(caller), given), 'was created');
        } catch (cause) {
          if (cause instanceof TooManyWorkflows) return failure(new WorkflowError('InvalidInput', cause.message, AT_LIMIT));
          return failure(toWorkflowError(cause));
        }
      },
    }),
    defineTool({
      name: 'workflow_update',
      title: 'Update a step of a workflow',
      description: `Record that a step of a workflow started, completed, failed, was skipped or is pending again. Returns the workflow and the next steps, as ${WORKFLOWS_URI}/{workflow_id}/status does. Repeating a call changes nothing. Ids are in ${WORKFLOWS_URI}.`,
      input: update,
      annotations: { title: 'Update a step of a workflow', ...ANNOTATIONS, idempotentHint: true },
      refuse: (problem) => invalidInput('workflow_update', problem),
      async call({ workflow_id: id, ...change }, { caller }) {
        const owner = ownerOf(caller);
        let isNew = false;
        try {
          const workflow = await store.update(owner, id, (current) => {
            if (current.steps.every(({ name }) => name !== change.step)) throw unknownStep(current, change.step);
            const next = changeStep(current, change, new Date().toISOString());
            isNew = next !== current;
            return next;
          });
          if (workflow === undefined) return failure(unknownWorkflow(id, await store.list(owner)));
          return isNew ? changed(workflow, 'was updated') : success(workflow, 'is unchanged');
        } catch (cause) {
          return failure(toWorkflowError(cause));
        }
      },
    }),
  ];
}

const ANNOTATIONS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

const AT_LIMIT = [
  `Reuse an existing workflow: read ${WORKFLOWS_URI}, and set its steps back to pending with workflow_update.`,
  'Or ask the operator of this server to remove old workflows.',
];

type WorkflowErrorCode = 'NotFound' | 'InvalidInput' | 'ResourceExecutionError';

class WorkflowError extends Error {
  constructor(
    readonly code: WorkflowErrorCode,
    message: string,
    /** What to do next. */
    readonly actions: readonly string[],
  ) {
    super(message);
    this.name = 'WorkflowError';
  }
}

/** Rethrows unexpected errors. */
function toWorkflowError(cause: unknown): WorkflowError {
  if (cause instanceof WorkflowError) return cause;
  if (cause instanceof Failure) return new WorkflowError('ResourceExecutionError', cause.message, cause.actions);
  throw cause;
}

const MAX_SUGGESTIONS = 10;

/** Suggests the caller's workflows with the longest common prefix. */
function unknownWorkflow(id: string, workflows: readonly Workflow[]): WorkflowError {
  const near = workflows
    .map(({ id: known, name }) => ({ text: `${known} ("${name}")`, length: commonPrefixLength(known, id.toLowerCase()) }))
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ text }) => text);
  const actions =
    near.length === 0
      ? ['You have no workflows yet: call workflow_create with a name and steps, and use the id it returns.']
      : [
          `Call workflow_update again with one of these ids: ${near.join(', ')}.`,
          `Read ${WORKFLOWS_URI} for all ${workflows.length} of them.`,
        ];
  return new WorkflowError('NotFound', `Workflow ${echo(id)} not found.`, actions);
}

function unknownStep({ id, steps }: Workflow, step: string): WorkflowError {
  const names = steps.map(({ name, status }) => `"${name}" (${status})`).join(', ');
  return new WorkflowError('NotFound', `The workflow ${id} has no step ${echo(step)}.`, [
    `Call workflow_update again with the exact name of one of its steps: ${names}.`,
  ]);
}

function commonPrefixLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

const MAX_ECHO_LENGTH = 100;

function echo(text: string): string {
  return JSON.stringify(text.length > MAX_ECHO_LENGTH ? `${text.slice(0, MAX_ECHO_LENGTH)}…` : text);
}

function invalidInput(tool: string, problem: string): Result {
  return failure(new WorkflowError('InvalidInput', `Invalid input: ${problem}.`, [`Correct it and call ${tool} again.`]));
}

function failure({ actions, code, message }: WorkflowError): Result {
  return {
    content: [{ type: 'text', text: [message, ...actions].join('\n') }],
    structuredContent: { success: false, error: code, message, suggested_actions: [...actions] },
    isError: true,
  };
}

function success(workflow: Workflow, what: string): Result {
  const status = workflowStatus(workflow);
  const { id, name, next_steps: nextSteps, progress, state, steps } = status;
  const uri = statusUri(id);
  const text = [
    `The workflow ${id} ("${name}") ${what}. Its state is ${state}; ${progress.completed + progress.skipped} of ${progress.total} steps are done (${progress.percentage}%).`,
    'Steps:',
    ...steps.map(({ name, note, status }, index) => `${index + 1}. ${name}: ${status}${note === undefined ? '' : ` (${note})`}`),
    'Next:',
    ...nextSteps.map((next) => `- ${next}`),
    `Its status resource is ${uri}.`,
  ].join('\n');
  return { content: [{ type: 'text', text }], structuredContent: { success: true, workflow: { ...status }, status_uri: uri } };
}
