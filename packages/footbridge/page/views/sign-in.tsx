/** Asks for the token of a protected server. */
import { useState } from 'preact/hooks';
import type { Refresh } from '../catalog.js';
import type { Problem } from '../request.js';
import { keepToken, token } from '../token.js';

export function SignIn({ problem, retry }: { readonly problem: Problem; readonly retry: Refresh }) {
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (value.trim() === '') return;
    keepToken(value.trim());
    setBusy(true);
    await retry();
    setBusy(false);
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <h1>This server is protected</h1>
        <p>Enter the access token that whoever runs it gave you. It is kept for this tab alone and forgotten when you close it.</p>
        {token() !== undefined && (
          <p class="problem" role="alert">
            The token was not accepted. {problem.message}
          </p>
        )}
        <label for="token">Access token</label>
        <input
          id="token"
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
