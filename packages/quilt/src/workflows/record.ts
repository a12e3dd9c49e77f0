/** The record of a workflow: its schema, its id, and changes of its steps. */
import { randomInt } from 'node:crypto';
import * as z from 'zod/v4';

export const MAX_STEPS = 100;
export const MAX_NAME_LENGTH = 200;
export const MAX_NOTE_LENGTH = 2_000;
/** Older activity is dropped. */
const MAX_ACTIVITY = 200;

export const STEP_STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'skipped'] as const;
const Status = z.enum(STEP_STATUSES);
export type StepStatus = z.infer<typeof Status>;

const Name = z.string().min(1).max(MAX_NAME_LENGTH);
const Note = z.string().max(MAX_NOTE_LENGTH);
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

export const Workflow = z.object({
  id: z.string(),
  name: Name,
  description: Note.optional(),
  steps: z.array(Step).min(1).max(MAX_STEPS),
  created_at: Time,
  updated_at: Time,
  activity: z.array(Activity).max(MAX_ACTIVITY),
});
export type Workflow = z.infer<typeof Workflow>;

export type WorkflowState = 'created' | 'in_progress' | 'completed' | 'failed';

export function workflowState({ steps }: Workflow): WorkflowState {
  if (steps.some(({ status }) => status === 'failed')) return 'failed';
  if (steps.every(({ status }) => status === 'pending')) return 'created';
  return steps.every(({ status }) => status === 'completed' || status === 'skipped') ? 'completed' : 'in_progress';
}

const MAX_SLUG_LENGTH = 40;
const SUFFIX_LENGTH = 6;
/** Without characters that look alike. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const ID = /^[a-z0-9]+(?:-[a-z0-9]+)*-[a-z0-9]{6}$/;

/** Such as `import-genomes-x7k2p9`. */
export function newWorkflowId(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const slug = words.replace(/^-/, '').slice(0, MAX_SLUG_LENGTH).replace(/-$/, '');
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${slug || 'workflow'}-${suffix}`;
}

/** Only valid ids become part of a path. */
export function isWorkflowId(text: string): boolean {
  return text.length <= MAX_SLUG_LENGTH + 1 + SUFFIX_LENGTH && ID.test(text);
}

export interface NewWorkflow {
  readonly name: string;
  readonly description?: string | undefined;
  /** Unique names. */
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

/** Returns the same object if nothing changes. */
export function changeStep(workflow: Workflow, { note, status, step: name }: StepChange, now: string): Workflow {
  const step = workflow.steps.find((each) => each.name === name);
  if (step === undefined || (step.status === status && (note === undefined || note === step.note))) return workflow;
  const changed = changedStep(step, status, note, now);
  const entry = { at: now, step: name, from: step.status, to: status, note };
  return {
    ...workflow,
    steps: workflow.steps.map((each) => (each === step ? changed : each)),
    updated_at: now,
    activity: [...workflow.activity, entry].slice(-MAX_ACTIVITY),
  };
}

/** A note belongs to a status, so it is dropped when the status changes. */
function changedStep(
  { completed_at: completedAt, name, started_at, status: before }: Step,
  status: StepStatus,
  note: string | undefined,
  now: string,
): Step {
  const step: Step = { name, status, note };
  if (status === 'pending') return step;
  // A retried step keeps its first start time.
  const startedAt = started_at ?? (status === 'in_progress' ? now : undefined);
  if (startedAt !== undefined) step.started_at = startedAt;
  if (status !== 'in_progress') step.completed_at = before === status && completedAt !== undefined ? completedAt : now;
  return step;
}
