/** Connects to a server as a host does, so that a login learns whether it is required. */
import { silentLog } from '../../log.js';
import { ownContext, within } from '../../sources/context.js';
import { connect } from '../../sources/upstream/connect.js';
import { failureOf } from '../../sources/upstream/failure.js';
import type { RemoteServer } from '../../sources/upstream/options.js';
import type { Login } from '../../sources/upstream/sign-in/login.js';
import { publishesSignIn } from '../../sources/upstream/sign-in/protected-resource.js';
import { SignInError } from '../../sources/upstream/sign-in/sign-in-error.js';
import { httpTransport } from '../../sources/upstream/transports/index.js';

const TIMEOUT_MS = 30_000;
const NOTHING = { listChanged() {}, updated() {}, closed() {}, hosts: () => [] };

/** Throws a `SignInError` where the server cannot be used for another reason. */
export async function probe(server: RemoteServer, login: Login): Promise<void> {
  const context = ownContext();
  try {
    const connection = await connect({
      openTransport: () => httpTransport(server, { log: silentLog, login }),
      mayStart: () => true,
      cancellation: context.cancellation,
      host: undefined,
      preferredEra: 'modern',
      refusedEra: undefined,
      timeoutMs: TIMEOUT_MS,
      events: NOTHING,
      explain: ({ message, kind }) => ({ message, data: { kind } }),
      log: silentLog,
    });
    // Some accept any connection, and reject later requests.
    await within(TIMEOUT_MS, context, (limited) => connection.request('tools/list', {}, limited))
      .catch((cause: unknown) => {
        if (failureOf(cause).kind === 'auth') throw cause;
      })
      .finally(() => connection.close());
  } catch (cause) {
    if (!login.isRequired && login.renewalProblem === undefined) throw new SignInError(failureOf(cause).message);
  }
}

/** Whether a server that answers without a login supports one: some refuse only calls. */
export async function offersSignIn({ oauth, url }: RemoteServer): Promise<boolean> {
  return oauth !== undefined || publishesSignIn(new URL(url));
}
