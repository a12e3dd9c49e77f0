/** Step three: connects to Jira and attaches the archive to an issue. */
import { sizeOf } from '../../../footbridge/page/parts/size.js';
import { FailureNote, timeOf } from '../parts/notices.js';
import { StepFrame } from '../parts/step.js';
import { useTask } from '../parts/task.js';
import type { Connection } from '../workflow/answers.js';
import type { Workflow } from '../workflow/state.js';
import { disconnect } from '../workflow/tools.js';
import { Attach } from './jira-attach.js';
import { Connect } from './jira-connect.js';
import { type StepProps, stateOf } from './step.js';

export function JiraStep({ bridge, workflow, change, takesFocus }: StepProps) {
  const { collection, connection, attached } = workflow;
  const state = stateOf(workflow, 'jira-attach');
  const release = () => change(({ connection: _ended, ...rest }) => rest);
  return (
    <StepFrame
      number={3}
      title="Attach it to a Jira issue"
      state={state}
      takesFocus={takesFocus}
      phase={`${connection?.id} ${attached?.attachment.id}`}
    >
      {workflow.step !== 'jira-attach' && <p class="note">The archive leaves its machine in this step, after a separate click.</p>}
      {workflow.step === 'jira-attach' && (
        <>
          {attached !== undefined && <Attached attached={attached} more={() => change(({ attached: _before, ...rest }) => rest)} />}
          {connection === undefined && attached === undefined && (
            <Connect bridge={bridge} connected={(next) => change((before) => ({ ...before, connection: next }))} />
          )}
          {connection !== undefined && (
            <>
              <Connected connection={connection} end={() => disconnect(bridge, connection.id)} release={release} />
              {attached === undefined && (
                <Attach
                  bridge={bridge}
                  connection={connection}
                  bundle={collection.at === 'fetched' ? collection.bundle : undefined}
                  attached={(attachment) => change((before) => ({ ...before, attached: { attachment, jira: connection.baseUrl } }))}
                  release={release}
                />
              )}
            </>
          )}
          {attached !== undefined && connection === undefined && <p role="status">Jira is disconnected. You are done.</p>}
        </>
      )}
    </StepFrame>
  );
}

interface ConnectedProps {
  readonly connection: Connection;
  readonly end: () => Promise<void>;
  readonly release: () => void;
}

function Connected({ connection, end, release }: ConnectedProps) {
  const { busy, failure, run } = useTask();
  const stop = () =>
    run(async () => {
      await end();
      release();
    });
  return (
    <>
      <div class="connection">
        <div>
          <strong>{connection.baseUrl}</strong>
          <p class="note">
            <span class="badge kind">Connected</span>
            {connection.account !== undefined && (
              <>
                {' as '}
                <strong>{connection.account}</strong>
              </>
            )}
            {connection.expiresAt !== undefined && ` until ${timeOf(connection.expiresAt)}`}
          </p>
        </div>
        <button type="button" aria-disabled={busy} onClick={stop}>
          {busy ? 'Disconnecting …' : 'Disconnect'}
        </button>
      </div>
      {failure !== undefined && (
        <FailureNote failure={failure}>
          <button type="button" onClick={release}>
            Connect again
          </button>
        </FailureNote>
      )}
    </>
  );
}

interface AttachedProps {
  readonly attached: NonNullable<Workflow['attached']>;
  readonly more: () => void;
}

function Attached({ attached: { attachment, jira }, more }: AttachedProps) {
  return (
    <div class="success" role="status">
      <p>
        <strong>{attachment.filename}</strong> ({sizeOf(attachment.bytes)}) is attached to <strong>{attachment.issue}</strong> at {jira}.
      </p>
      <p class="note">If you do not want to attach anything else, disconnect Jira. Otherwise the connection expires by itself.</p>
      <button type="button" class="quiet" onClick={more}>
        Attach it to another issue
      </button>
    </div>
  );
}
