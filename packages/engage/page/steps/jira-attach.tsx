/** Selects the issue, shows its attachments, and asks for confirmation before data leaves the machine. */
import { useState } from 'preact/hooks';
import { sizeOf } from '../../../footbridge/page/parts/size.js';
import type { Bridge } from '../bridge/bridge.js';
import { Facts, FailureNote, timeOf } from '../parts/notices.js';
import { useTask } from '../parts/task.js';
import type { Attachment, Attachments, Bundle, Connection } from '../workflow/answers.js';
import { attach, listAttachments } from '../workflow/tools.js';

/** The connection is no longer usable. */
const CONNECTION_OVER = new Set(['connection_expired', 'connection_revoked', 'invalid_credentials']);

interface AttachProps {
  readonly bridge: Bridge;
  readonly connection: Connection;
  readonly bundle: Bundle | undefined;
  readonly attached: (attachment: Attachment) => void;
  readonly release: () => void;
}

interface Issue {
  readonly key: string;
  readonly attachments: Attachments;
}

export function Attach({ bridge, connection, bundle, attached, release }: AttachProps) {
  const [key, setKey] = useState('');
  const [issue, setIssue] = useState<Issue>();
  const { busy, failure, run } = useTask();
  const look = (event: Event) => {
    event.preventDefault();
    const wanted = key.trim().toUpperCase();
    setIssue(undefined);
    run(async () => setIssue({ key: wanted, attachments: await listAttachments(bridge, connection.id, wanted) }));
  };
  const send = (to: Issue, file: Bundle) =>
    run(async () => {
      const attachment = await attach(bridge, connection.id, to.key, file.reference);
      attached({ ...attachment, issue: to.key });
    });
  return (
    <>
      <form class="fields" onSubmit={look}>
        <label for="issue">Issue key</label>
        <div class="inline">
          <input
            id="issue"
            class="mono"
            required
            placeholder="ABC-123"
            pattern="\s*[A-Za-z][A-Za-z0-9_]*-[0-9]+\s*"
            title="Letters, a dash and a number, such as ABC-123"
            autocomplete="off"
            spellcheck={false}
            value={key}
            onInput={(event) => {
              setKey(event.currentTarget.value);
              setIssue(undefined);
            }}
          />
          <button type="submit" aria-disabled={busy}>
            {busy && issue === undefined ? 'Looking …' : 'Show attachments'}
          </button>
        </div>
      </form>
      {failure !== undefined && (
        <FailureNote failure={failure}>
          {CONNECTION_OVER.has(failure.code) && (
            <button type="button" class="primary" onClick={release}>
              Connect Jira again
            </button>
          )}
        </FailureNote>
      )}
      {issue !== undefined && <Present issue={issue} />}
      {issue !== undefined && bundle === undefined && <p class="note">There is nothing to attach yet: collect an sosreport first.</p>}
      {issue !== undefined && bundle !== undefined && (
        <section class="leaving" aria-label="Attach the archive">
          <p>
            <strong>This is the moment at which data leaves the machine.</strong>
          </p>
          {issue.attachments.newest.some(({ filename }) => filename === bundle.name) && (
            <p class="note">The issue already has a file with that name; this adds another one.</p>
          )}
          <Facts
            facts={[
              { name: 'File', value: `${bundle.name}, ${sizeOf(bundle.bytes)}`, mono: true },
              { name: 'Issue', value: issue.key },
              { name: 'Jira', value: connection.baseUrl },
            ]}
          />
          <button type="button" class="primary" aria-disabled={busy} onClick={() => send(issue, bundle)}>
            {busy ? 'Attaching …' : `Attach it to ${issue.key}`}
          </button>
        </section>
      )}
    </>
  );
}

function Present({ issue: { key, attachments } }: { readonly issue: Issue }) {
  const { newest, total } = attachments;
  if (total === 0)
    return (
      <p class="note" role="status">
        {key} has no attachments yet.
      </p>
    );
  return (
    <section class="attachments" aria-label={`Attachments of ${key}`}>
      <h3>Already attached to {key}</h3>
      <ul class="rows">
        {newest.map(({ id, filename, bytes, createdAt }) => (
          <li key={id}>
            <span class="mono">{filename}</span>
            <span class="note">
              {sizeOf(bytes)}
              {createdAt !== undefined && `, ${timeOf(createdAt)}`}
            </span>
          </li>
        ))}
      </ul>
      {total > newest.length && (
        <p class="note">
          These are the newest {newest.length} of {total}.
        </p>
      )}
    </section>
  );
}
