/** A sign-in by a person in a browser. Loaded only when one begins. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { OAuthSettings } from '../options.js';
import {
  type AuthorizationServer,
  authorizationRequest,
  type Challenge,
  clientOf,
  discover,
  redeem,
  scopeUnion,
} from './authorization-server.js';
import type { LoginRecord, LoginStore } from './login-store.js';
import { listenForRedirect, type RedirectListener, type ReturnPage } from './redirect-listener.js';
import { SignInError } from './sign-in-error.js';
import { recordOf } from './token-renewal.js';

/** A person may have to find a password first. */
export const SIGN_IN_MS = 10 * 60_000;

export interface SignInOptions {
  readonly id: string;
  readonly url: URL;
  readonly settings: OAuthSettings;
  readonly store: LoginStore;
  readonly challenge: Challenge | undefined;
  /** Scopes besides those that the server usually asks for. */
  readonly additionalScope: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

/** A sign-in that a person has to finish. */
export interface PendingSignIn {
  /** The page to open. */
  readonly url: string;
  /** The authorization server. */
  readonly host: string;
  /** Where the browser returns to. */
  readonly redirectUrl: string;
  /** Resolves when the login is stored. Rejects with a `SignInError`. */
  readonly done: Promise<void>;
  /** Finishes with the address that the browser was sent to, where it is on another machine. */
  finish(address: string): Promise<void>;
  cancel(): void;
}

export async function beginSignIn(options: SignInOptions): Promise<PendingSignIn> {
  const { challenge, id, settings, store, url } = options;
  const found = await discover(url, settings, challenge);
  const server: AuthorizationServer = { ...found, scope: scopeUnion(found.scope, options.additionalScope) };
  const earlier = await sameServer(store.read(id), server);
  const state = randomBytes(32).toString('base64url');
  let settle: (error?: SignInError) => void = () => {};
  const done = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  done.catch(() => {});
  let used = false;

  const listener = await listenForRedirect({ preferred: earlier?.redirectPort, required: settings.redirectPort }, (query) => accept(query));
  const { request, client } = await prepare(server, options, earlier, listener, state);
  const timer = setTimeout(() => end(new SignInError('Nobody signed in within 10 minutes. Start again.')), SIGN_IN_MS).unref();
  const end = (error?: SignInError) => {
    clearTimeout(timer);
    listener.close();
    settle(error);
  };

  async function accept(query: URLSearchParams): Promise<ReturnPage | undefined> {
    // Anything else is not the answer to this sign-in, and does not end it.
    if (used || !isEqual(query.get('state') ?? '', state)) return undefined;
    used = true;
    try {
      const tokens = await redeem(server, client, listener.url, request.codeVerifier, query);
      const { issuer, metadata, resource } = server;
      const fixed = { server: url.href, settings, issuer, metadata, resource, client, redirectPort: listener.port };
      await store.locked(id, 30_000, () =>
        store.write(id, recordOf({ ...fixed, signedInAt: Date.now() }, { scope: server.scope, ...tokens })),
      );
      end();
      return { status: 200, title: 'Signed in', text: `Footbridge can now use ${url.host}. You can close this window.` };
    } catch (cause) {
      const error = cause instanceof SignInError ? cause : new SignInError('The login could not be stored.');
      end(error);
      return { status: 400, title: 'Sign-in failed', text: error.message };
    }
  }

  return {
    url: request.url,
    host: new URL(server.issuer).host,
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

/** A registration can be used again for the same authorization server and redirect. */
async function sameServer(record: LoginRecord | undefined, { issuer }: AuthorizationServer): Promise<LoginRecord | undefined> {
  return record?.issuer === issuer ? record : undefined;
}

async function prepare(
  server: AuthorizationServer,
  { environment, settings }: SignInOptions,
  earlier: LoginRecord | undefined,
  listener: RedirectListener,
  state: string,
) {
  try {
    const isRegistered = earlier !== undefined && settings.clientId === undefined && earlier.redirectPort === listener.port;
    const client = isRegistered ? earlier.client : await clientOf(server, { settings, environment, redirectUrl: listener.url });
    return { client, request: await authorizationRequest(server, client, listener.url, state) };
  } catch (cause) {
    listener.close();
    throw cause;
  }
}

function queryOf(address: string, redirectUrl: string): URLSearchParams | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname, searchParams } = new URL(address);
  return origin + pathname === redirectUrl ? searchParams : undefined;
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
