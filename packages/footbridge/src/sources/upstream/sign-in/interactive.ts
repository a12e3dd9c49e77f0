/** A sign-in by a user in a browser. Loaded only when one begins. */
import { isEqualSecret } from '../../../state/encryption.js';
import { listenForRedirect, type ReturnPage } from './redirect-listener.js';
import { SignInError } from './sign-in-error.js';
import { completeSignIn, discoverFor, newState, requestSignIn, type SignInOptions } from './sign-in-request.js';

/** The user may have to find a password first. */
export const SIGN_IN_MS = 10 * 60_000;

/** A sign-in that the user has to finish. */
export interface PendingSignIn {
  /** The page to open. */
  readonly url: string;
  /** The authorization server. */
  readonly host: string;
  /** Where the browser returns to. */
  readonly redirectUrl: string;
  /** Resolves when the login is stored. Rejects with a `SignInError`. */
  readonly done: Promise<void>;
  /** Finishes with the URL that the browser was redirected to, if it runs on another machine. */
  finish(address: string): Promise<void>;
  cancel(): void;
}

export async function beginSignIn(options: SignInOptions): Promise<PendingSignIn> {
  const { id, settings, store, url } = options;
  // Checked first, so that no one signs in for nothing.
  await store.claim?.(id);
  const found = await discoverFor(options);
  let settle: (error?: SignInError) => void = () => {};
  const done = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  done.catch(() => {});
  let used = false;

  const state = newState();
  const port = { preferred: found.earlier?.redirectPort, required: settings.redirectPort };
  const listener = await listenForRedirect(port, state, (query) => accept(query));
  const request = await requestSignIn(found, options, listener, state).catch((cause: unknown) => {
    listener.close();
    throw cause;
  });
  const timer = setTimeout(() => end(new SignInError('The sign-in timed out after 10 minutes. Start again.')), SIGN_IN_MS).unref();
  const end = (error?: SignInError) => {
    clearTimeout(timer);
    listener.close();
    settle(error);
  };

  async function accept(query: URLSearchParams): Promise<ReturnPage | undefined> {
    // Other requests do not belong to this sign-in, and do not end it.
    if (used || !isEqualSecret(query.get('state') ?? '', state)) return undefined;
    used = true;
    try {
      await completeSignIn(request, query, options);
      end();
      return { status: 200, title: 'Signed in', text: `Footbridge can now use ${url.host}. You can close this window.` };
    } catch (cause) {
      const error = cause instanceof SignInError ? cause : new SignInError('The login could not be stored.');
      end(error);
      return { status: 400, title: 'Sign-in failed', text: error.message };
    }
  }

  return {
    url: request.page,
    host: new URL(request.issuer).host,
    redirectUrl: listener.url,
    done,
    async finish(address) {
      const query = queryOf(address, listener.url);
      if (query === undefined || (await accept(query)) === undefined)
        throw new SignInError(
          'This is not the address that the browser was sent to at the end of this sign-in. It begins with http://127.0.0.1.',
        );
      await done;
    },
    cancel: () => end(new SignInError('The sign-in was cancelled.')),
  };
}

function queryOf(address: string, redirectUrl: string): URLSearchParams | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname, searchParams } = new URL(address);
  return origin + pathname === redirectUrl ? searchParams : undefined;
}
