/** In a host no secret is entered: opens the one-time page and waits for it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Bridge } from '../bridge/bridge.js';
import { FailureNote } from '../parts/notices.js';
import { useTask } from '../parts/task.js';
import type { Connection } from '../workflow/answers.js';
import { pause } from '../workflow/collect.js';
import { PageFailure } from '../workflow/failure.js';
import { connectionStatus, inviteToJira, type SentInvitation } from '../workflow/tools.js';

const LOOK_AGAIN_MS = 3000;

interface InviteProps {
  readonly bridge: Bridge;
  readonly connected: (connection: Connection) => void;
}

export function InviteToJira({ bridge, connected }: InviteProps) {
  const [baseUrl, setBaseUrl] = useState('');
  const [invitation, setInvitation] = useState<SentInvitation>();
  const { busy, failure, run } = useTask();
  const invite = (event: Event) => {
    event.preventDefault();
    run(async () => {
      const next = await inviteToJira(bridge, baseUrl.trim());
      setInvitation(next);
      await bridge.openLink(next.url);
    });
  };
  if (invitation !== undefined)
    return <Waiting bridge={bridge} invitation={invitation} connected={connected} again={() => setInvitation(undefined)} />;
  return (
    <form class="fields" onSubmit={invite}>
      {failure !== undefined && <FailureNote failure={failure} />}
      <p>Enter your Jira token on a separate one-time page. Never type it here or into the chat.</p>
      <label for="jira-url">
        URL of your Jira <span class="optional">optional</span>
      </label>
      <input
        id="jira-url"
        type="url"
        placeholder="https://issues.example.com"
        autocomplete="off"
        spellcheck={false}
        value={baseUrl}
        onInput={(event) => setBaseUrl(event.currentTarget.value)}
      />
      <button type="submit" class="primary" aria-disabled={busy}>
        {busy ? 'Opening …' : 'Open the page for the token'}
      </button>
    </form>
  );
}

interface WaitingProps extends InviteProps {
  readonly invitation: SentInvitation;
  readonly again: () => void;
}

function Waiting({ bridge, invitation, connected, again }: WaitingProps) {
  const { failure, run } = useTask();
  const [looks, setLooks] = useState(1);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  // Waits once, and again on request.
  useEffect(() => {
    const left = new AbortController();
    run(async () => connected(await activeOnce(bridge, invitation.connection, left.signal)));
    return () => left.abort();
  }, [invitation, looks]);
  const open = (event: Event) => {
    event.preventDefault();
    bridge.openLink(invitation.url);
  };
  return (
    <div class="fields" ref={box} tabIndex={-1}>
      {failure === undefined ? (
        <p class="waiting" role="status">
          Waiting for you to enter the token on the page that was opened …
        </p>
      ) : (
        <FailureNote failure={failure}>
          <button type="button" onClick={() => setLooks(looks + 1)}>
            Look again
          </button>
        </FailureNote>
      )}
      {failure === undefined && (
        <p>
          If it did not open, open or copy this address: <br />
          <a href={invitation.url} target="_blank" rel="noopener noreferrer" onClick={open}>
            {invitation.url}
          </a>
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={again}>
          Get another page
        </button>
      </div>
    </div>
  );
}

/** Resolves when the connection is active. */
async function activeOnce(bridge: Bridge, id: string, signal: AbortSignal): Promise<Connection> {
  for (;;) {
    await pause(LOOK_AGAIN_MS, signal);
    const connection = await connectionStatus(bridge, id, signal);
    if (connection.status === 'active') return connection;
    if (connection.status !== 'pending')
      throw new PageFailure(
        `connection_${connection.status}`,
        'The page for the token has expired, and nothing was connected.',
        'Get another page.',
      );
  }
}
