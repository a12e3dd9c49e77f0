/** Signs in to servers, and lists and removes logins. */
import { createInterface } from 'node:readline';
import { silentLog } from '../../log.js';
import { loginTo } from '../../sources/upstream/index.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import type { PendingSignIn } from '../../sources/upstream/sign-in/interactive.js';
import type { Login } from '../../sources/upstream/sign-in/login.js';
import { type LoginStore, loginId, type StoredLogin } from '../../sources/upstream/sign-in/login-store.js';
import { revoke } from '../../sources/upstream/sign-in/revocation.js';
import { SignInError } from '../../sources/upstream/sign-in/sign-in-error.js';
import { findConfig } from '../config/index.js';
import { CommandError, printFailure } from '../failure.js';
import type { Io } from '../io.js';
import { askForTrust, type CommonOptions } from '../options.js';
import { withProgress } from '../progress.js';
import { INVALID_URL, isHttpUrl, looksLikeUrl } from '../server-values.js';
import { plain, plural } from '../terminal.js';
import { openBrowser } from './browser.js';
import { loginStore } from './folder.js';
import { offersSignIn, probe } from './probe.js';

type Remote = Extract<UpstreamServer, { readonly url: string }>;

interface LoginOptions extends CommonOptions {
  readonly browser: boolean;
  /** In addition to those of the login, and those that the server requests. */
  readonly scope?: string;
  readonly json?: boolean;
}

export async function login(name: string, options: LoginOptions, io: Io): Promise<number> {
  const server = await find(name, options, io);
  if (typeof server === 'string') return fail(server);
  const store = loginStore(io);
  const found = loginTo(server, { store, environment: io.env }, silentLog);
  if (found === undefined)
    return fail('It has a header Authorization, or a user and password in its URL, which are used instead of a login.');
  try {
    const wait = () => stateOf(server, name, found, store, options);
    const state = await withProgress(`waiting for ${plain(new URL(server.url).host)}…`, wait, io);
    if (state === 'needed') await signIn(name, found, options, io);
    report(name, state === 'needed' ? 'new' : state, options, io);
    return 0;
  } catch (cause) {
    if (!(cause instanceof SignInError)) throw cause;
    return fail(cause.message);
  } finally {
    found.close();
  }
}

/** Whether a user has to sign in. A login that needs no user is obtained. */
async function stateOf(
  server: Remote,
  name: string,
  found: Login,
  { keys }: LoginStore,
  { scope }: LoginOptions,
): Promise<'not-required' | 'signed-in' | 'needed'> {
  await Promise.all([keys?.moveToKeychain(), found.prepare()]);
  await probe(server, found);
  if (found.isUnattended) {
    await loginUnattended(name, found);
    return 'signed-in';
  }
  if (scope !== undefined) await found.ask(scope);
  if (found.isRequired || found.renewalProblem !== undefined) return 'needed';
  if (found.header !== undefined) return 'signed-in';
  return (await offersSignIn(server)) ? 'needed' : 'not-required';
}

/** Throws if it cannot be obtained. */
async function loginUnattended(name: string, found: Login): Promise<void> {
  if (found.header === undefined) await found.renew();
  if (found.header === undefined || found.isRequired || found.renewalProblem !== undefined)
    fail(`The login to ${name} could not be obtained. ${found.problem ?? 'Check "oauth" in its settings.'}`);
}

const RESULTS = {
  'not-required': (name: string) => `${name} does not require a sign-in.`,
  'signed-in': (name: string) => `You are signed in to ${name}.`,
  new: (name: string) => `Signed in to ${name}.`,
};

function report(server: string, result: keyof typeof RESULTS, { json }: LoginOptions, io: Io): void {
  if (json === true) io.printJson({ server, required: result !== 'not-required', signedIn: result !== 'not-required' });
  else io.print(RESULTS[result](server));
}

interface LogoutOptions extends CommonOptions {
  readonly all?: boolean;
  readonly json?: boolean;
}

export async function logout(name: string | undefined, options: LogoutOptions, io: Io): Promise<number> {
  if ((name === undefined) === (options.all !== true)) return fail('Name one server, or use --all. `footbridge logins` lists them.');
  const store = loginStore(io);
  const { found, sealed } = await withProgress('reading logins…', () => store.all(), io);
  const wanted = name === undefined ? [...found] : await loginsOf(name, found, options, io);
  if (typeof wanted === 'string') return fail(wanted);
  for (const [id, { record }] of wanted) {
    const end = () =>
      store.locked(id, 60_000, async () => {
        await revoke(record, io.env);
        await store.remove(id);
      });
    await withProgress(`revoking the login of ${plain(record.server)}…`, end, io);
  }
  if (wanted.length === 0 && name !== undefined) return fail(`You are not signed in to ${name}. ${sealedText(sealed)}`.trim());
  if (options.all === true) await store.clear();
  if (options.json === true) io.printJson({ removed: wanted.map(([, { record }]) => record.server) });
  else io.print(`Removed ${plural(wanted.length, 'login')}.`);
  return 0;
}

export async function logins(options: CommonOptions & { readonly json?: boolean }, io: Io): Promise<number> {
  const { found, sealed } = await withProgress('reading logins…', () => loginStore(io).all(), io);
  const views = [...found.values()].map(viewOf).sort((one, other) => (one.server < other.server ? -1 : 1));
  if (options.json) {
    io.printJson(views);
    return 0;
  }
  if (views.length + sealed === 0) io.print('You are not signed in to any server.');
  for (const { issuer, keyIn, scopes, server, state } of views) {
    const by = `${state}, by ${plain(new URL(issuer).host)}${scopes.length === 0 ? '' : `; ${plain(scopes.join(', '))}`}`;
    io.print(`${io.colors.bold(plain(server))}\n  ${by}\n  encrypted, with a key in ${PLACES[keyIn]}`);
  }
  if (sealed > 0) io.print(sealedText(sealed));
  return 0;
}

const PLACES = { keychain: 'the system keychain', file: 'a file that only you can read' } as const;

function sealedText(count: number): string {
  if (count === 0) return '';
  return `${plural(count, 'login')} cannot be read: the key is in the system keychain, which is locked or cannot be reached. Unlock it, or sign in again.`;
}

/** Without tokens. */
function viewOf({ place, record: { expiresAt, issuer, server, signedInAt, tokens } }: StoredLogin) {
  const time = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
  const renews = tokens?.refresh_token !== undefined;
  const isOver = expiresAt !== undefined && expiresAt < Date.now();
  const state =
    tokens === undefined
      ? 'revoked: sign in again'
      : renews
        ? 'signed in, renewed automatically'
        : isOver
          ? 'expired: sign in again'
          : time === undefined
            ? 'signed in'
            : `signed in until ${time}`;
  return {
    server,
    issuer,
    scopes: tokens?.scope?.split(' ').filter((scope) => scope !== '') ?? [],
    signedInAt: new Date(signedInAt).toISOString(),
    expiresAt: time,
    renews,
    keyIn: place,
    state,
  };
}

async function signIn(name: string, found: Login, { browser, json }: LoginOptions, given: Io): Promise<void> {
  // Only the result is JSON: a person has to open the link.
  const io = json === true ? given.with({ stdout: given.stderr }) : given;
  const pending = await withProgress(`preparing the sign-in to ${plain(name)}…`, () => found.begin(), io);
  const opened = browser && io.stdout.isTTY === true && openBrowser(pending.url, io.env);
  io.print(`${opened ? 'Your browser opens' : 'Open this link in a browser'} to sign in to ${name} at ${pending.host}:\n`);
  io.printExactly(`  ${pending.url}\n`);
  const stopReading = readAddress(pending, io);
  // The listener for the browser does not keep a process running.
  const waiting = setInterval(() => {}, 60_000);
  const stop = io.stopped().then(() => pending.cancel());
  stop.catch(() => {});
  try {
    await pending.done;
  } finally {
    clearInterval(waiting);
    stopReading();
  }
}

/** The browser may be on another machine: then its last address is pasted. */
function readAddress({ finish }: PendingSignIn, io: Io): () => void {
  io.print('Is the browser on another machine? Then its last page cannot be shown. Paste its address here:');
  const lines = createInterface({ input: io.stdin });
  lines.on('line', (line) => {
    if (line.trim() !== '') finish(line.trim()).catch((cause: unknown) => printFailure(cause, false, io));
  });
  return () => lines.close();
}

async function find(name: string, options: CommonOptions, io: Io): Promise<Remote | string> {
  if (looksLikeUrl(name)) return isHttpUrl(name) ? { url: name } : INVALID_URL;
  await askForTrust(options, io);
  const { mcpServers } = await findConfig(options.config, io);
  const server = Object.hasOwn(mcpServers, name) ? mcpServers[name] : undefined;
  if (server === undefined) {
    const names = Object.entries(mcpServers).flatMap(([each, { ...settings }]) => ('url' in settings ? [each] : []));
    return `Server '${name}' not found in footbridge.json. ${names.length === 0 ? 'Use the URL of the server instead.' : `Use one of these, or a URL: ${names.join(', ')}.`}`;
  }
  if ('held' in server) return `The server '${name}' is not used. ${server.held}`;
  return 'url' in server ? server : `The server '${name}' is started by a command. Only servers at a URL have logins.`;
}

async function loginsOf(
  name: string,
  found: ReadonlyMap<string, StoredLogin>,
  options: CommonOptions,
  io: Io,
): Promise<readonly (readonly [string, StoredLogin])[] | string> {
  const server = await find(name, options, io);
  if (typeof server === 'string') return server;
  const id = loginId(server.url, server.oauth ?? {});
  return [...found].filter(([each]) => each === id);
}

function fail(message: string): never {
  throw new CommandError('failed', message);
}
