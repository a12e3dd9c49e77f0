/** A server that the user has to sign in to: the tool for that, and calls that continue afterwards. */
import { setTimeout } from 'node:timers/promises';
import type { ProtocolEra, Tool } from '@modelcontextprotocol/server';
import type { Fields } from '../../../json.js';
import type { ReadContext } from '../../resource.js';
import { ServerError } from '../../server/channel.js';
import { type ToolContext, toolContext, type UrlOutcome } from '../../tool-context.js';
import { failureOf, type UpstreamFailure } from '../failure.js';

import { CONNECTION_CLOSED } from '../json-rpc.js';
import { emptyListing, type UpstreamListing, wholeListing } from '../listing.js';
import { isInterruptible } from '../suspensions.js';
import type { PendingSignIn } from './interactive.js';
import type { Login } from './login.js';
import { SignInError } from './sign-in-error.js';

/** Below the minute after which hosts cancel a call. */
const FINISH_MS = 45_000;
/** What a host of 2026-07-28 sends when it repeats a call after the sign-in. */
const STATE = 'footbridge-sign-in';

export class UpstreamSignIn {
  /** Undefined where only the operator may sign in. */
  readonly toolName: string | undefined;
  readonly #login: Login;
  readonly #server: string;
  readonly #command: string;
  /** The command does not help then, since it signs in the user of this machine. */
  readonly #isOfCaller: boolean;

  constructor(login: Login, server: string, offered: boolean) {
    this.#login = login;
    this.#server = server;
    this.#command = `\`footbridge login ${login.name ?? server}\``;
    this.#isOfCaller = login.isOfCaller;
    this.toolName = offered && !login.isUnattended ? `sign_in_to_${server.replace(/[^\w-]/gu, plainly)}` : undefined;
  }

  get isRequired(): boolean {
    return this.#login.isRequired;
  }

  /** Explains a failure that concerns the login; undefined for others. */
  failureFor({ kind }: UpstreamFailure): UpstreamFailure | undefined {
    if (this.isRequired) return { kind: 'auth', message: `${this.#server} ${this.#action}` };
    const problem = kind === 'auth' ? this.#renewalProblem : undefined;
    return problem === undefined ? undefined : { kind, message: problem };
  }

  /** The state of the login, and the tool. */
  listed(known: UpstreamListing | undefined, era: ProtocolEra): UpstreamListing {
    const handshake = { serverInfo: {}, capabilities: { tools: { listChanged: true } }, instructions: undefined, result: {} };
    const listing = known ?? emptyListing(handshake, era);
    return this.toolName === undefined ? listing : { ...wholeListing(listing), tools: [...listing.tools, this.#toolNamed(this.toolName)] };
  }

  /** Answers a call of the tool. */
  async call(params: Fields, given: ReadContext): Promise<Fields> {
    const context = toolContext(given, params);
    const server = `'${this.#server}'`;
    if (!this.isRequired) return result(signedIn(server));
    try {
      const pending = await this.#login.begin();
      const { elicited } = context;
      const outcome = elicited?.state === STATE ? elicited.outcome : await this.#ask(context, pending);
      if (outcome === 'decline' || outcome === 'cancel') return result(`The user did not sign in to ${server}.`, true);
      if (outcome === 'accept' && (await this.#isFinished(pending))) return result(signedIn(server));
      return result(
        `Give the user this link to sign in to ${server} at ${pending.host}: ${pending.url}\nIts tools and resources appear when they have finished. The link is valid for 10 minutes${this.#isOfCaller ? '' : `, in a browser on the computer that runs Footbridge. If the browser is on another one, the user runs ${this.#command} in a terminal instead`}.`,
      );
    } catch (cause) {
      if (!(cause instanceof SignInError)) throw cause;
      return result(`Signing in to ${server} failed. ${cause.message}`, true);
    }
  }

  /** Sends a request. Where the host can ask the user, one that needs a login continues after the sign-in. */
  async send(method: string, given: Fields, context: ReadContext, send: (params: Fields) => Promise<Fields>): Promise<Fields> {
    const params = await this.#repeated(given, context);
    try {
      return await send(params);
    } catch (cause) {
      if (!this.isRequired) throw this.#notRenewed(cause) ?? cause;
      if (isInterruptible({ method }) && (await this.#hasSignedIn(given, context))) return send(params);
      const message = `The server '${this.#server}' ${this.#action}`;
      throw new ServerError(CONNECTION_CLOSED, message, { server: this.#server, kind: 'auth', retryable: false });
    }
  }

  get #action(): string {
    const { isUnattended, problem } = this.#login;
    if (isUnattended) return `requires a login, which could not be obtained. ${problem ?? ''}`.trim();
    return problem === undefined ? this.#usualAction : `${this.#usualAction} ${problem}`;
  }

  get #usualAction(): string {
    if (this.toolName === undefined) return `requires a login. Its operator signs in with ${this.#command}.`;
    return `requires you to sign in. Call the tool '${this.toolName}'${this.#orCommand}.`;
  }

  get #orCommand(): string {
    return this.#isOfCaller ? '' : `, or run ${this.#command}`;
  }

  get #renewalProblem(): string | undefined {
    const { isUnattended, renewalProblem } = this.#login;
    if (renewalProblem === undefined) return undefined;
    const next = isUnattended ? 'Try again later.' : `Try again${this.#orCommand}.`;
    return `The login to '${this.#server}' could not be renewed. ${renewalProblem} ${next}`;
  }

  /** For a request that was refused because its login has expired. */
  #notRenewed(cause: unknown): ServerError | undefined {
    const problem = failureOf(cause).kind === 'auth' ? this.#renewalProblem : undefined;
    if (problem === undefined) return undefined;
    return new ServerError(CONNECTION_CLOSED, problem, { server: this.#server, kind: 'auth', retryable: true });
  }

  #toolNamed(name: string): Tool {
    const title = `Sign in to ${this.#server}`;
    return {
      name,
      title,
      description: `The server '${this.#server}' requires the user to sign in before its tools and resources can be used. Returns a link for the user to open in a browser. Call it when something of this server is needed. Never ask the user for a password or a token.`,
      inputSchema: { type: 'object', properties: {} },
      annotations: { title, readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    };
  }

  /** A repeated call without what belongs to the sign-in; any other call as it is. */
  async #repeated(params: Fields, given: ReadContext): Promise<Fields> {
    if (params['requestState'] !== STATE) return params;
    const { inputResponses: _, requestState: __, ...others } = params;
    const isAccepted = toolContext(given, params).elicited?.outcome === 'accept';
    if (this.isRequired && isAccepted) await this.#isFinished(await this.#login.begin());
    return others;
  }

  async #hasSignedIn(params: Fields, given: ReadContext): Promise<boolean> {
    const context = toolContext(given, params);
    if (this.toolName === undefined || !context.canElicitUrl || context.elicited?.state === STATE) return false;
    try {
      const pending = await this.#login.begin();
      return (await this.#ask(context, pending)) === 'accept' && (await this.#isFinished(pending));
    } catch (cause) {
      if (cause instanceof SignInError) return false;
      throw cause;
    }
  }

  async #ask(context: ToolContext, { done, host, url }: PendingSignIn): Promise<UrlOutcome> {
    if (!context.canElicitUrl) return 'unanswered';
    const message = `Sign in to '${this.#server}' at ${host}. Footbridge stores the login encrypted; the assistant never sees it.`;
    return context.elicitUrl({ url, message, state: STATE, finished: done });
  }

  async #isFinished({ done }: PendingSignIn): Promise<boolean> {
    await Promise.race([done, setTimeout(FINISH_MS, undefined, { ref: false })]);
    return !this.isRequired;
  }
}

/** Hosts require ASCII in names of tools. Names in other scripts stay distinct. */
function plainly(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 128 ? '_' : code.toString(16);
}

function result(text: string, isError = false): Fields {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}

function signedIn(server: string): string {
  return `Signed in to ${server}. Its tools and resources can be used now.`;
}
