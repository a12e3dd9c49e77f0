/** The sign-in form of a protected server. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RefreshCatalog } from '../catalog.js';
import type { Problem } from '../request.js';
import { isToken, keepToken, token } from '../token.js';

export function SignIn({ problem, retry }: { readonly problem: Problem; readonly retry: RefreshCatalog }) {
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const [mistake, setMistake] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    const entered = value.trim();
    if (entered === '') return;
    if (!isToken(entered)) return setMistake('A token contains only ASCII characters and no spaces.');
    keepToken(entered);
    setMistake('');
    setBusy(true);
    await retry();
    setBusy(false);
  };
  // A token was sent and rejected.
  const refusal = mistake === '' && token() !== undefined && !busy ? problem.message : mistake;
  return (
    <main class="sign-in" tabIndex={-1}>
      <form class="card" onSubmit={submit}>
        <h1>Sign in</h1>
        <p>This server requires an access token. Its operator can give you one. It is stored for this tab only, until the tab is closed.</p>
        {refusal !== '' && (
          <p class="problem" role="alert">
            The token was not accepted. {refusal}
          </p>
        )}
        <label for="token">Access token</label>
        <input
          id="token"
          ref={field}
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
