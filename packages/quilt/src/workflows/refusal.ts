/** What a tool of the workflows refuses, told so that a model can put it right. */
import type { defineTool } from 'footbridge/pack';
import type { Workflow } from './record.js';
import { WORKFLOWS_URI } from './view.js';

type Result = Awaited<ReturnType<ReturnType<typeof defineTool>['call']>>;

const MOST_NAMED = 10;
const LONGEST_ECHO = 100;

type RefusalCode = 'NotFound' | 'InvalidInput' | 'ResourceExecutionError';

/** The message says what is wrong; the actions are what to do, in the imperative. */
export class Refusal extends Error {
  readonly error: RefusalCode;
  readonly actions: readonly string[];

  constructor(error: RefusalCode, message: string, actions: readonly string[]) {
    super(message);
    this.name = 'Refusal';
    this.error = error;
    this.actions = actions;
  }
}

export function refused({ actions, error, message }: Refusal): Result {
  return {
    content: [{ type: 'text', text: [message, ...actions].join('\n') }],
    structuredContent: { success: false, error, message, suggested_actions: [...actions] },
    isError: true,
  };
}

/** Names those that are most like the id, of the caller's own. */
export function unknownWorkflow(id: string, workflows: readonly Workflow[]): Refusal {
  const near = workflows
    .map(({ id: known, name }) => ({ known, name, alike: alike(known, id) }))
    .sort((one, other) => other.alike - one.alike)
    .slice(0, MOST_NAMED)
    .map(({ known, name }) => `${known} ("${name}")`);
  return new Refusal(
    'NotFound',
    `There is no workflow ${echo(id)}.`,
    near.length === 0
      ? ['You have no workflows yet: call workflow_create with a name and steps, and use the id that it gives.']
      : [
          `Call workflow_update again with one of these ids: ${near.join(', ')}.`,
          `Read ${WORKFLOWS_URI} for all ${workflows.length} of them.`,
        ],
  );
}

export function unknownStep({ id, steps }: Workflow, step: string): Refusal {
  const names = steps.map(({ name, status }) => `"${name}" (${status})`).join(', ');
  return new Refusal('NotFound', `The workflow ${id} has no step ${echo(step)}.`, [
    `Call workflow_update again with the exact name of one of its steps: ${names}.`,
  ]);
}

/** How many characters they begin with in common. */
function alike(one: string, other: string): number {
  const lower = other.toLowerCase();
  let length = 0;
  while (length < one.length && one[length] === lower[length]) length += 1;
  return length;
}

function echo(text: string): string {
  return JSON.stringify(text.length > LONGEST_ECHO ? `${text.slice(0, LONGEST_ECHO)}…` : text);
}
