/** Step one: the product. */
import { FailureNote } from '../parts/notices.js';
import { StepFrame } from '../parts/step.js';
import { useTask } from '../parts/task.js';
import { selectProduct } from '../workflow/tools.js';
import { type StepProps, stateOf } from './step.js';

export function ProductStep({ bridge, workflow, change, takesFocus }: StepProps) {
  const state = stateOf(workflow, 'select-product');
  const { busy, failure, run } = useTask();
  const choose = () =>
    run(async () => {
      const session = await selectProduct(bridge);
      change((before) => ({ ...before, session, step: 'sos-report' }));
    });
  return (
    <StepFrame number={1} title="Select the product" state={state} takesFocus={takesFocus}>
      {state === 'done' && <p class="note">Linux</p>}
      {state === 'skipped' && <p class="note">Linux is the only product; it is selected when you collect.</p>}
      {state === 'current' && (
        <>
          <p>Which product do you need help with? Selecting it collects nothing.</p>
          {failure !== undefined && <FailureNote failure={failure} />}
          <button type="button" class="choice" aria-disabled={busy} onClick={choose}>
            <strong>{busy ? 'Selecting Linux …' : 'Linux'}</strong>
            <span>Red Hat Enterprise Linux and other distributions, with an sosreport</span>
          </button>
        </>
      )}
    </StepFrame>
  );
}
