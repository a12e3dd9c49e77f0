/** Step two: collects the archive, which stays on its machine. */
import { sizeOf } from '../../../footbridge/page/parts/size.js';
import { Facts, FailureNote } from '../parts/notices.js';
import { Running } from '../parts/running.js';
import { StepFrame } from '../parts/step.js';
import type { Bundle } from '../workflow/answers.js';
import type { Collection } from '../workflow/state.js';
import { Consent } from './consent.js';
import { type StepProps, stateOf } from './step.js';
import { type Actions, useCollection } from './use-collection.js';

export function SosreportStep(props: StepProps) {
  const { bridge, workflow, change, takesFocus } = props;
  const { collection } = workflow;
  const state = stateOf(workflow, 'sos-report');
  const actions = useCollection(props);
  const goTo = (step: 'sos-report' | 'jira-attach') => change((before) => ({ ...before, step }));

  const body = () => {
    if (collection.at === 'working') return <Running since={collection.since} progress={collection.progress} />;
    if (collection.at === 'collected') return <Collected collection={collection} actions={actions} />;
    if (collection.at === 'fetched')
      return <Fetched bundle={collection.bundle} goOn={() => goTo('jira-attach')} startOver={actions.startOver} />;
    const { failure, job } = collection;
    return (
      <>
        {failure !== undefined && <FailureNote failure={failure} />}
        {job !== undefined && (
          <div class="card offer">
            <p>A collection is already running, or has just ended.</p>
            <button type="button" class="primary" onClick={() => actions.followJob(job)}>
              Show how far it is
            </button>
          </div>
        )}
        <Consent context={bridge.context} collect={actions.collectNow} />
      </>
    );
  };

  return (
    <StepFrame number={2} title="Collect an sosreport" state={state} takesFocus={takesFocus} phase={collection.at}>
      {state === 'current' && body()}
      {state === 'done' && collection.at === 'fetched' && <BundleFacts bundle={collection.bundle} />}
      {state === 'skipped' && <p class="note">No archive has been collected on this page.</p>}
      {(state === 'done' || state === 'skipped') && (
        <button type="button" class="quiet back" onClick={() => goTo('sos-report')}>
          Go back to this step
        </button>
      )}
      {state === 'later' && <p class="note">Only with your consent, and it stays on its machine.</p>}
    </StepFrame>
  );
}

interface CollectedProps {
  readonly collection: Extract<Collection, { at: 'collected' }>;
  readonly actions: Actions;
}

/** Collected but not fetched: the fetch is pending, failed, or was not requested yet. */
function Collected({ collection: { archive, fetching, failure }, actions }: CollectedProps) {
  const what = `The archive ${archive.name} (${sizeOf(archive.bytes)}) was collected.`;
  if (fetching) return <p role="status">{what} Fetching it …</p>;
  return (
    <>
      {failure === undefined ? <p>{what}</p> : <FailureNote failure={failure} />}
      <div class="actions">
        <button type="button" class="primary" onClick={() => actions.fetchIt(archive)}>
          {failure === undefined ? 'Fetch it' : 'Fetch it again'}
        </button>
        <button type="button" class="quiet" onClick={actions.startOver}>
          Collect another one
        </button>
      </div>
    </>
  );
}

interface FetchedProps {
  readonly bundle: Bundle;
  readonly goOn: () => void;
  readonly startOver: () => void;
}

function Fetched({ bundle, goOn, startOver }: FetchedProps) {
  return (
    <>
      <p role="status">The archive is ready and has not left its machine. You can inspect it before sending it anywhere.</p>
      <BundleFacts bundle={bundle} />
      <div class="actions">
        <button type="button" class="primary" onClick={goOn}>
          Go on to Jira
        </button>
        <button type="button" class="quiet" onClick={startOver}>
          Collect another one
        </button>
      </div>
    </>
  );
}

function BundleFacts({ bundle }: { readonly bundle: Bundle }) {
  return (
    <Facts
      facts={[
        { name: 'File', value: bundle.path, mono: true },
        { name: 'Size', value: sizeOf(bundle.bytes) },
        { name: 'SHA-256', value: bundle.sha256, mono: true },
      ]}
    />
  );
}
