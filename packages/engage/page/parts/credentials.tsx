/** The form for Jira credentials. The secret exists only in its field and in one request, never in state, URLs or storage. */
import { useRef, useState } from 'preact/hooks';
import type { Fields } from '../../../footbridge/page/json.js';
import { PageFailure } from '../workflow/failure.js';
import { FailureNote } from './notices.js';
import { useTask } from './task.js';

type Kind = 'bearer_pat' | 'basic_cloud';

/** After these failures the secret may be valid and need not be entered again. */
const SECRET_STANDS = new Set(['unreachable', 'upstream_unavailable', 'validation_error']);

interface CredentialsProps {
  /** If given, it cannot be changed. */
  readonly baseUrl?: string | undefined;
  /** Throws a `PageFailure` if it is rejected. */
  readonly send: (body: Fields) => Promise<void>;
}

export function Credentials({ baseUrl, send }: CredentialsProps) {
  const [url, setUrl] = useState(baseUrl ?? '');
  const [kind, setKind] = useState<Kind>('bearer_pat');
  const [email, setEmail] = useState('');
  const secret = useRef<HTMLInputElement>(null);
  const { busy, failure, run } = useTask();
  const host = hostOf(url);

  const forget = () => {
    if (secret.current !== null) secret.current.value = '';
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const entered = secret.current?.value.trim() ?? '';
    const proof = kind === 'bearer_pat' ? { pat: entered } : { account_email: email.trim(), api_token: entered };
    run(async () => {
      try {
        await send({ jira_base_url: url.trim(), auth_mode: kind, ...proof });
        forget();
      } catch (cause) {
        if (!(cause instanceof PageFailure && SECRET_STANDS.has(cause.code))) forget();
        secret.current?.focus();
        throw cause;
      }
    });
  };
  const choose = (next: Kind) => {
    forget();
    setKind(next);
  };

  return (
    <form class="fields" onSubmit={submit}>
      {failure !== undefined && <FailureNote failure={failure} />}
      {baseUrl === undefined ? (
        <>
          <label for="jira-url">URL of your Jira</label>
          <input
            id="jira-url"
            type="url"
            required
            placeholder="https://issues.example.com"
            autocomplete="off"
            spellcheck={false}
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </>
      ) : (
        <div class="fixed">
          <span>Jira</span> <strong>{host}</strong>
          {baseUrl !== `https://${host}/` && <span>{baseUrl}</span>}
          <p class="note">Your assistant provided this URL: check that it is your Jira.</p>
        </div>
      )}
      <fieldset class="kinds">
        <legend>Kind of Jira</legend>
        <KindChoice kind="bearer_pat" chosen={kind} choose={choose} title="Server or Data Center" note="Personal access token" />
        <KindChoice kind="basic_cloud" chosen={kind} choose={choose} title="Cloud" note="E-mail and API token" />
      </fieldset>
      {kind === 'basic_cloud' && (
        <>
          <label for="jira-email">E-mail of your account</label>
          <input
            id="jira-email"
            type="email"
            required
            autocomplete="off"
            spellcheck={false}
            value={email}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
        </>
      )}
      <label for="jira-secret">{kind === 'bearer_pat' ? 'Personal access token' : 'API token'}</label>
      <input
        id="jira-secret"
        ref={secret}
        type="password"
        required
        autocomplete="off"
        spellcheck={false}
        aria-describedby="jira-secret-note"
      />
      <p id="jira-secret-note" class="note">
        Your token is verified with <strong>{host ?? 'your Jira'}</strong> and stored encrypted until the connection ends. The assistant
        never sees it.
      </p>
      <button type="submit" class="primary" aria-disabled={busy}>
        {busy ? 'Verifying with Jira …' : baseUrl === undefined ? 'Connect' : `Connect to ${host}`}
      </button>
    </form>
  );
}

/** In punycode, so that homographs are visible; undefined if the URL is invalid. */
function hostOf(address: string): string | undefined {
  return (URL.canParse(address.trim()) && new URL(address.trim()).host) || undefined;
}

interface KindChoiceProps {
  readonly kind: Kind;
  readonly chosen: Kind;
  readonly choose: (kind: Kind) => void;
  readonly title: string;
  readonly note: string;
}

function KindChoice({ kind, chosen, choose, title, note }: KindChoiceProps) {
  return (
    <label>
      <input type="radio" name="kind" value={kind} checked={kind === chosen} onChange={() => choose(kind)} />
      <span>
        <strong>{title}</strong>
        <small>{note}</small>
      </span>
    </label>
  );
}
