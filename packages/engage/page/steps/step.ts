/** The props and state of a step. */
import type { Bridge } from '../bridge/bridge.js';
import type { StepState } from '../parts/step.js';
import { type Change, isDone, STEPS, type Step, type Workflow } from '../workflow/state.js';

export interface StepProps {
  readonly bridge: Bridge;
  readonly workflow: Workflow;
  readonly change: Change;
  readonly takesFocus: boolean;
}

export function stateOf(workflow: Workflow, step: Step): StepState {
  const last = step === 'jira-attach';
  if (isDone(workflow, step) && (last || workflow.step !== step)) return 'done';
  if (workflow.step === step) return 'current';
  return STEPS.indexOf(step) < STEPS.indexOf(workflow.step) ? 'skipped' : 'later';
}
