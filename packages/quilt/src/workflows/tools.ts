/** The tools that make workflows and take them further. */
import { defineTool, type Pack } from 'footbridge/pack';
import { ownerOf } from 'footbridge/state';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import type { Secrets } from '../secrets.js';
import { changeStep, LONGEST_NAME, LONGEST_NOTE, MOST_STEPS, STEP_STATUSES, type Step, type Workflow } from './record.js';
import { Refusal, refused, unknownStep, unknownWorkflow } from './refusal.js';
import { TooManyWorkflows, type WorkflowStore } from './store.js';
import { statusOf, statusUri, WORKFLOWS_URI } from './view.js';

type AnyTool = NonNullable<Pack['tools']>[number];
type Result = Awaited<ReturnType<AnyTool['call']>>;

/** What the tools take. What people paste into a note may hold a signed URL: it is neither kept nor repeated. */
function inputs(secrets: Secrets) {
  const text = z
    .string()
    .trim()
    .overwrite((given) => secrets.removeFrom(given));
  const name = text
    .min(1)
    .max(LONGEST_NAME)
    .refine((given) => !/\p{Cc}/u.test(given), { error: 'must be one line, without control characters' });
  const note = text.min(1).max(LONGEST_NOTE);
  const create = z.strictObject({
    name: name.describe('What the work is, such as "Import genomes".'),
    steps: z
      .array(name)
      .min(1)
      .max(MOST_STEPS)
      .refine((steps) => new Set(steps).size === steps.length, { error: 'every step needs a name of its own' })
      .describe('The names of the steps in the order in which they are done, such as ["Collect files", "Check metadata", "Push package"].'),
    description: note.optional().describe('What it is for, and whatever somebody who goes on with it has to know.'),
  });
  const update = z.strictObject({
    workflow_id: text.min(1).describe(`From workflow_create or ${WORKFLOWS_URI}.`),
    step: text.min(1).describe('The name of the step, exactly as it was given to workflow_create.'),
    status: z.enum(STEP_STATUSES).describe('What the step is now.'),
    note: note.optional().describe('What was done, or why it failed or was skipped.'),
  });
  return { create, update };
}

/** `updated` is told the URI of every resource that a call has changed. */
export function workflowTools(store: WorkflowStore, updated: (uri: string) => void, secrets: Secrets): readonly AnyTool[] {
  const { create, update } = inputs(secrets);
  const changed = (workflow: Workflow, what: string): Result => {
    updated(WORKFLOWS_URI);
    updated(statusUri(workflow.id));
    return shown(workflow, what);
  };
  return [
    defineTool({
      name: 'workflow_create',
      title: 'Create a workflow',
      description: `Begins to track a piece of work that has several steps, such as the making of a Quilt package, so that it can be gone on with later or by somebody else. Gives the workflow_id that workflow_update takes; ${WORKFLOWS_URI} lists all of your workflows, and ${WORKFLOWS_URI}/{workflow_id}/status shows one. It does none of the work itself.`,
      input: create,
      annotations: {
        title: 'Create a workflow',
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
      refuse: (problem) => wrong('workflow_create', problem),
      async call(given, { caller }) {
        try {
          return changed(await store.create(ownerOf(caller), given), 'was created');
        } catch (cause) {
          if (cause instanceof TooManyWorkflows) return refused(new Refusal('InvalidInput', cause.message, NO_ROOM));
          return refused(refusalOf(cause));
        }
      },
    }),
    defineTool({
      name: 'workflow_update',
      title: 'Update a step of a workflow',
      description: `Notes that a step of a workflow has begun, is completed, failed, was skipped or is to be done after all. Gives the whole workflow and what to do next, as ${WORKFLOWS_URI}/{workflow_id}/status does; to say the same again changes nothing. Ids are in ${WORKFLOWS_URI}.`,
      input: update,
      annotations: {
        title: 'Update a step of a workflow',
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      refuse: (problem) => wrong('workflow_update', problem),
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
          if (workflow === undefined) return refused(unknownWorkflow(id, await store.list(owner)));
          return isNew ? changed(workflow, 'was updated') : shown(workflow, 'is as it was: nothing had to be changed');
        } catch (cause) {
          return refused(refusalOf(cause));
        }
      },
    }),
  ];
}

const NO_ROOM = [
  `Go on with a workflow that is there already: read ${WORKFLOWS_URI}, and set its steps back to pending with workflow_update.`,
  'Or ask whoever runs this server to remove workflows that are not needed any more.',
];

/** Passes on what nobody foresaw. */
function refusalOf(cause: unknown): Refusal {
  if (cause instanceof Refusal) return cause;
  if (cause instanceof Failure) return new Refusal('ResourceExecutionError', cause.message, cause.actions);
  throw cause;
}

function wrong(tool: string, problem: string): Result {
  return refused(new Refusal('InvalidInput', `Invalid input: ${problem}.`, [`Correct it and call ${tool} again.`]));
}

function shown(workflow: Workflow, what: string): Result {
  const status = statusOf(workflow);
  const { id, name, next_steps: nextSteps, progress, state, steps } = status;
  const uri = statusUri(id);
  const text = [
    `The workflow ${id} ("${name}") ${what}. Its state is ${state}; ${progress.completed + progress.skipped} of ${progress.total} steps are done (${progress.percentage}%).`,
    'Steps:',
    ...steps.map(line),
    'Next:',
    ...nextSteps.map((next) => `- ${next}`),
    `Its status can be read at ${uri}.`,
  ].join('\n');
  return { content: [{ type: 'text', text }], structuredContent: { success: true, workflow: { ...status }, status_uri: uri } };
}

function line({ name, note, status }: Step, index: number): string {
  return `${index + 1}. ${name}: ${status}${note === undefined ? '' : ` (${note})`}`;
}
