/** What is kept of a workflow, and how a step of it changes. */
import * as z from 'zod/v4';

export const MOST_STEPS = 100;
export const LONGEST_NAME = 200;
export const LONGEST_NOTE = 2_000;
/** Older activity is forgotten. */
export const MOST_ACTIVITY = 200;

export const STEP_STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'skipped'] as const;
const Status = z.enum(STEP_STATUSES);
export type StepStatus = z.infer<typeof Status>;

const Name = z.string().min(1).max(LONGEST_NAME);
const Note = z.string().max(LONGEST_NOTE);
const Time = z.iso.datetime();

const Step = z.object({
  name: Name,
  status: Status,
  note: Note.optional(),
  started_at: Time.optional(),
  completed_at: Time.optional(),
});
export type Step = z.infer<typeof Step>;

const Activity = z.object({
  at: Time,
  step: Name.optional(),
  from: Status.optional(),
  to: Status.optional(),
  note: Note.optional(),
});
export type Activity = z.infer<typeof Activity>;

export const Workflow = z.object({
  id: z.string(),
  name: Name,
  description: Note.optional(),
  steps: z.array(Step).min(1).max(MOST_STEPS),
  created_at: Time,
  updated_at: Time,
  activity: z.array(Activity).max(MOST_ACTIVITY),
});
export type Workflow = z.infer<typeof Workflow>;

export type WorkflowState = 'created' | 'in_progress' | 'completed' | 'failed';

export function stateOf({ steps }: Workflow): WorkflowState {
  if (steps.some(({ status }) => status === 'failed')) return 'failed';
  if (steps.every(({ status }) => status === 'pending')) return 'created';
  return steps.every(({ status }) => status === 'completed' || status === 'skipped') ? 'completed' : 'in_progress';
}

export interface NewWorkflow {
  readonly name: string;
  readonly description?: string | undefined;
  /** Their names, each of them once. */
  readonly steps: readonly string[];
}

export function newWorkflow(id: string, { description, name, steps }: NewWorkflow, now: string): Workflow {
  return {
    id,
    name,
    description,
    steps: steps.map((step) => ({ name: step, status: 'pending' })),
    created_at: now,
    updated_at: now,
    activity: [{ at: now, note: 'The workflow was created.' }],
  };
}

export interface StepChange {
  readonly step: string;
  readonly status: StepStatus;
  readonly note?: string | undefined;
}

/** The workflow after the change. It is the very same one where nothing changes, so that to say a thing twice is to say it once. */
export function changeStep(workflow: Workflow, { note, status, step: name }: StepChange, now: string): Workflow {
  const step = workflow.steps.find((each) => each.name === name);
  if (step === undefined || (step.status === status && (note === undefined || note === step.note))) return workflow;
  const changed = changedStep(step, status, note, now);
  const entry = { at: now, step: name, from: step.status, to: status, note };
  return {
    ...workflow,
    steps: workflow.steps.map((each) => (each === step ? changed : each)),
    updated_at: now,
    activity: [...workflow.activity, entry].slice(-MOST_ACTIVITY),
  };
}

/** A note says something of a status: without one of its own the next status has none. */
function changedStep(
  { completed_at: completedAt, name, started_at, status: before }: Step,
  status: StepStatus,
  note: string | undefined,
  now: string,
): Step {
  const step: Step = { name, status, note };
  if (status === 'pending') return step;
  // A step that is tried again began when it was tried first.
  const startedAt = started_at ?? (status === 'in_progress' ? now : undefined);
  if (startedAt !== undefined) step.started_at = startedAt;
  if (status !== 'in_progress') step.completed_at = before === status && completedAt !== undefined ? completedAt : now;
  return step;
}
