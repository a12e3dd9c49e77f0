/** The workflow: three steps, one of them current. */
import { useEffect, useState } from 'preact/hooks';
import { Logo } from '../../footbridge/page/parts/logo.js';
import type { Problem } from '../../footbridge/page/request.js';
import { SignIn } from '../../footbridge/page/views/sign-in.js';
import type { Bridge } from './bridge/bridge.js';
import { connectBridge } from './bridge/connect.js';
import { FailureNote } from './parts/notices.js';
import { JiraStep } from './steps/jira.js';
import { ProductStep } from './steps/product.js';
import { SosreportStep } from './steps/sosreport.js';
import { type PageFailure, toFailure } from './workflow/failure.js';
import { knownOf } from './workflow/known.js';
import { type Step, startAt, withGiven } from './workflow/state.js';

type Connecting =
  | { readonly at: 'connecting' }
  | { readonly at: 'connected'; readonly bridge: Bridge }
  | { readonly at: 'failed'; readonly failure: PageFailure };

interface Asking {
  readonly problem: Problem;
  readonly answered: () => void;
}

export function App({ first }: { readonly first: Step }) {
  const [connecting, setConnecting] = useState<Connecting>({ at: 'connecting' });
  const [asking, setAsking] = useState<Asking>();
  useEffect(() => {
    connectBridge((problem) => new Promise((answered) => setAsking({ problem, answered }))).then(
      (bridge) => setConnecting({ at: 'connected', bridge }),
      (cause) => setConnecting({ at: 'failed', failure: toFailure(cause) }),
    );
  }, []);
  const signedIn = async () => {
    setAsking(undefined);
    asking?.answered();
  };
  return (
    <>
      {asking !== undefined && <SignIn problem={asking.problem} retry={signedIn} />}
      {/* Hidden and not left out: what it waits for goes on after the sign-in. */}
      <main class="workflow" hidden={asking !== undefined}>
        <header class="head">
          <Logo />
          <div>
            <h1>Engage Red Hat Support</h1>
            <p class="lead">Collect diagnostics from a Linux machine and attach them to a Jira issue. You decide at each step.</p>
          </div>
        </header>
        {connecting.at === 'connecting' && <p role="status">Connecting …</p>}
        {connecting.at === 'failed' && <FailureNote failure={connecting.failure} />}
        {connecting.at === 'connected' && <Steps bridge={connecting.bridge} first={first} />}
      </main>
    </>
  );
}

function Steps({ bridge, first }: { readonly bridge: Bridge; readonly first: Step }) {
  const [workflow, change] = useState(startAt(first));
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    bridge.onGiven((given) => change((before) => withGiven(before, given)));
    setOpened(true);
  }, [bridge]);
  const known = JSON.stringify(knownOf(workflow).answers);
  // Progress is not stored.
  useEffect(() => {
    if (opened && known !== '{}') bridge.keep(knownOf(workflow));
  }, [known]);
  const shared = { bridge, workflow, change, takesFocus: opened };
  return (
    <ol class="steps">
      <ProductStep {...shared} />
      <SosreportStep {...shared} />
      <JiraStep {...shared} />
    </ol>
  );
}
