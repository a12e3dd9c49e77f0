/** The one-time page for a Jira token, which it sends to its own URL. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Fields } from '../../../footbridge/page/json.js';
import { Logo } from '../../../footbridge/page/parts/logo.js';
import { answered } from '../bridge/direct.js';
import { Credentials } from '../parts/credentials.js';
import { timeOf } from '../parts/notices.js';
import { type Connection, connectionIn, present } from '../workflow/answers.js';
import { unreachable } from '../workflow/failure.js';
import { answerIn } from '../workflow/tools.js';
import type { OpenInvitation } from './invitation.js';

const GONE = 410;

type State =
  | { readonly at: 'asking'; readonly invitation: OpenInvitation }
  | { readonly at: 'over' }
  | { readonly at: 'connected'; readonly connection: Connection };

export function ConnectPage({ invitation }: { readonly invitation: OpenInvitation | undefined }) {
  const [state, setState] = useState<State>(invitation === undefined ? { at: 'over' } : { at: 'asking', invitation });
  const send = async (body: Fields) => {
    const response = await post(body);
    if (response.status === GONE) return setState({ at: 'over' });
    setState({ at: 'connected', connection: present(connectionIn(answerIn(await answered(response)))) });
  };
  return (
    <main class="intake">
      <div class="card">
        <Logo />
        {state.at === 'asking' && (
          <>
            <h1>Connect Jira</h1>
            <AskedBy name={state.invitation.askedBy} />
            <p>
              The person who asked can use Jira in your name as long as the connection holds. The link works once
              {state.invitation.expiresAt === undefined ? '' : `, until ${timeOf(state.invitation.expiresAt)}`}.
            </p>
            <Credentials baseUrl={state.invitation.baseUrl} send={send} />
          </>
        )}
        {state.at === 'connected' && (
          <Ending title="Jira is connected">
            {state.connection.account !== undefined && `You are ${state.connection.account} in Jira. `}
            The connection to {state.connection.baseUrl} holds
            {state.connection.expiresAt === undefined ? '' : ` until ${timeOf(state.connection.expiresAt)}`}. You can close this page and go
            back to your assistant.
          </Ending>
        )}
        {state.at === 'over' && (
          <Ending title="This link has expired">
            It was used already, its time has passed, or it is not complete. If you still need to connect Jira, ask your assistant for a new
            link. You can close this page.
          </Ending>
        )}
      </div>
    </main>
  );
}

/** Shows who requested the page, so that a person does not submit a token for someone else. */
function AskedBy({ name }: { readonly name: string | undefined }) {
  return (
    <p class="asked">
      {name === undefined ? (
        'Requested by an assistant on this machine. If you do not expect that, close this page.'
      ) : (
        <>
          Requested by <strong>{name}</strong>. If that is not you, close this page.
        </>
      )}
    </p>
  );
}

async function post(body: Fields): Promise<Response> {
  try {
    return await fetch(location.pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
  } catch {
    throw unreachable();
  }
}

function Ending({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p>{children}</p>
    </>
  );
}
