/** Selects an existing connection, takes credentials in this page, or opens the one-time page. */
import { useEffect, useState } from 'preact/hooks';
import type { Bridge } from '../bridge/bridge.js';
import { Credentials } from '../parts/credentials.js';
import { FailureNote, timeOf } from '../parts/notices.js';
import { useLeaving, useTask } from '../parts/task.js';
import { type Connection, connectionIn, present } from '../workflow/answers.js';
import { activeConnections, answerIn } from '../workflow/tools.js';
import { InviteToJira } from './jira-invite.js';

interface ConnectProps {
  readonly bridge: Bridge;
  readonly connected: (connection: Connection) => void;
}

export function Connect({ bridge, connected }: ConnectProps) {
  const { context } = bridge;
  const [found, setFound] = useState<readonly Connection[]>();
  const { busy, failure, run } = useTask();
  const leaving = useLeaving();
  const look = () => run(async () => setFound(await activeConnections(bridge, leaving)));
  // Loaded once, when the step opens.
  useEffect(() => void look(), []);
  const existing = found ?? [];
  // Also before the check begins: a form that is already shown would be replaced while the user fills it in.
  const looking = busy || (found === undefined && failure === undefined);
  return (
    <>
      {looking && <p role="status">Looking for connections …</p>}
      {failure !== undefined && (
        <FailureNote failure={failure}>
          <button type="button" onClick={look}>
            Look again
          </button>
        </FailureNote>
      )}
      {existing.length > 0 && <Existing connections={existing} use={connected} />}
      {!looking && (
        <section class="card" aria-label="Connect Jira">
          <h3>{existing.length > 0 ? 'Or connect another Jira' : 'Connect Jira'}</h3>
          {context.place === 'host' ? (
            <InviteToJira bridge={bridge} connected={connected} />
          ) : (
            <Credentials
              send={async (body) => connected(present(connectionIn(answerIn(await context.post('api/jira/connections', body)))))}
            />
          )}
        </section>
      )}
    </>
  );
}

interface ExistingProps {
  readonly connections: readonly Connection[];
  readonly use: (connection: Connection) => void;
}

function Existing({ connections, use }: ExistingProps) {
  return (
    <section aria-label="Your connections">
      <h3>Use an existing connection</h3>
      <ul class="rows">
        {connections.map((connection) => (
          <li key={connection.id}>
            <span>
              <strong>{connection.baseUrl}</strong>
              {connection.expiresAt !== undefined && <span class="note"> until {timeOf(connection.expiresAt)}</span>}
            </span>
            <button type="button" class="primary" onClick={() => use(connection)}>
              Use it<span class="hidden">: {connection.baseUrl}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
