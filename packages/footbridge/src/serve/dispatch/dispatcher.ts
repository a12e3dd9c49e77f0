/** The one place that answers a request, of any transport and era. */
import {
  type JSONRPCRequest,
  type ProtocolEra,
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import { reasonOf } from '../../errors.js';
import { type Fields, isFields, weightOf } from '../../json.js';
import type { Log } from '../../log.js';
import { worthAsking } from '../../sources/forwarding.js';
import { InputRequired } from '../../sources/resource.js';
import { ServerError } from '../../sources/server/channel.js';
import { CACHEABLE_METHODS, LEVELS } from '../../sources/upstream/eras.js';
import { CONNECTION_CLOSED } from '../../sources/upstream/json-rpc.js';
import type { HostView, HostViews } from '../../surfaces/hosts/view.js';
import { instructionsFor } from '../../surfaces/instructions.js';
import { searchedTools } from '../../surfaces/tool-search/listing.js';
import type { ToolChoice } from '../../surfaces/tools/index.js';
import { type Answer, errorResponse } from '../messages.js';
import { SERVER_INFO } from '../sdk/server.js';
import { admitListen, forwardListen, withListedUris } from '../session/subscriptions.js';
import { catalogMethods, type ListMethod } from './catalog-methods.js';
import { mergeHandshake } from './handshake.js';
import type { RequestScope } from './scope.js';

export interface DispatcherOptions {
  readonly catalog: Catalog;
  readonly tools: ToolChoice;
  /** How the catalog is shown to each host. */
  readonly hosts: HostViews;
  /** Whether each skill is a prompt too. */
  readonly prompts: boolean;
  readonly log: Log;
}

/** Answers with a result, or with a whole answer where the SDK made it. */
type Method = (request: JSONRPCRequest, scope: RequestScope) => Promise<Fields> | Fields;
type SdkMethod = (request: JSONRPCRequest, scope: RequestScope) => Promise<Answer>;

const { InternalError, InvalidParams, InvalidRequest, MethodNotFound } = ProtocolErrorCode;
/** Bytes of `initialize`, as `weightOf` counts them. */
export const MAX_HANDSHAKE = 64 * 1024;
const NO_PARAMS: Fields = {};
/** The `_meta` of what we answer ourselves. */
const OWN_META: Fields = { [SERVER_INFO_META_KEY]: SERVER_INFO };

export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Methods of both eras. */
  readonly #methods: ReadonlyMap<string, Method>;
  /** Methods that the modern era no longer has. */
  readonly #legacyMethods: ReadonlyMap<string, Method>;
  readonly #sdkMethods: ReadonlyMap<string, SdkMethod>;

  constructor(options: DispatcherOptions) {
    const { catalog, log, prompts, tools } = options;
    this.#options = options;
    const answers = catalogMethods(catalog, () => tools, prompts, log);
    const list =
      (method: ListMethod): Method =>
      ({ params = NO_PARAMS }, scope) =>
        answers.list(method, params, scope.context(), this.#viewFor(scope));
    const methods = new Map<string, Method>([
      ['tools/list', list('tools/list')],
      ['tools/call', ({ params = NO_PARAMS }, scope) => answers.callTool(params, scope.context(), this.#viewFor(scope))],
      ['resources/list', list('resources/list')],
      ['resources/templates/list', list('resources/templates/list')],
      ['resources/read', ({ params = NO_PARAMS }, scope) => answers.readResource(params, scope.context(), scope.era === 'modern')],
      ['completion/complete', ({ params = NO_PARAMS }, scope) => answers.complete(params, scope.context())],
    ]);
    // An upstream may come to have prompts later.
    if (prompts || catalog.hasUpstreams)
      methods
        .set('prompts/list', list('prompts/list'))
        .set('prompts/get', ({ params = NO_PARAMS }, scope) => answers.getPrompt(params, scope.context()));
    const legacyMethods = new Map<string, Method>([
      ['ping', () => ({})],
      ['resources/subscribe', (request, scope) => this.#subscribe(request, scope)],
      ['resources/unsubscribe', (request, scope) => this.#unsubscribe(request, scope)],
    ]);
    if (catalog.hasUpstreams) legacyMethods.set('logging/setLevel', (request, scope) => this.#setLogLevel(request, scope));
    this.#methods = methods;
    this.#legacyMethods = legacyMethods;
    const bySdk: SdkMethod = (request, scope) => scope.session.sdk(scope.era).request(request, scope.peer);
    this.#sdkMethods = new Map<string, SdkMethod>([
      ['initialize', (request, scope) => this.#handshake(request, scope)],
      ['server/discover', (request, scope) => this.#handshake(request, scope)],
      ['subscriptions/listen', (request, scope) => this.#listen(request, scope)],
      ['skills/list', bySdk],
      ['skills/get', bySdk],
      ['resources/directory/read', bySdk],
    ]);
  }

  /** Whether a method is known here; an upstream may know others. */
  has(method: string, era: ProtocolEra): boolean {
    if (era === 'legacy' ? MODERN_ONLY.has(method) : method === 'initialize') return false;
    return this.#methods.has(method) || this.#sdkMethods.has(method) || (era === 'legacy' && this.#legacyMethods.has(method));
  }

  /** Never rejects: what goes wrong is an error in the answer. Settles when the request is cancelled, whether the work stops or not. */
  readonly dispatch = (request: JSONRPCRequest, scope: RequestScope): Promise<Answer> =>
    new Promise((resolve) => {
      const { cancellation } = scope;
      const cancel = () => resolve(this.#failure(request, cancellation.reason, scope));
      if (cancellation.aborted) return cancel();
      cancellation.listen(cancel);
      const { memory } = scope.parts;
      memory?.enter();
      void this.#answer(request, scope).then((answer) => {
        memory?.leave();
        cancellation.forget(cancel);
        resolve(answer);
      });
    });

  async #answer(request: JSONRPCRequest, scope: RequestScope): Promise<Answer> {
    const { id, method } = request;
    try {
      const sdkMethod = this.#sdkMethods.get(method);
      if (sdkMethod !== undefined) return await sdkMethod(request, scope);
      const known = this.#methods.get(method) ?? (scope.era === 'legacy' ? this.#legacyMethods.get(method) : undefined);
      if (this.#options.catalog.hasUpstreams) scope.session.onRequest(scope);
      const result = await (known === undefined ? this.#forward(request, scope) : known(request, scope));
      return { jsonrpc: '2.0', id, result: scope.era === 'modern' ? this.#asModern(method, result) : result };
    } catch (cause) {
      return this.#failure(request, cause, scope);
    }
  }

  async #handshake(request: JSONRPCRequest, scope: RequestScope): Promise<Answer> {
    const { catalog, tools } = this.#options;
    // Client info is kept as long as its connection.
    if (weightOf(request, MAX_HANDSHAKE) > MAX_HANDSHAKE)
      throw new ProtocolError(InvalidRequest, `${request.method} may take ${MAX_HANDSHAKE} bytes. Send less client information.`);
    scope.session.onHandshake(scope);
    const answer = await scope.session.sdk(scope.era).request(request, scope.peer);
    if ('error' in answer) return answer;
    const { snapshot } = catalog;
    const { upstreams } = snapshot;
    const view = this.#viewFor(scope);
    const own = (longest?: number) => ({ ...answer.result, instructions: instructionsFor(catalog.snapshot, view, tools, longest) });
    if (upstreams.length === 0) return { ...answer, result: own() };
    const handshakes = await Promise.all(
      upstreams.map((upstream) => (upstreams.length === 1 || upstream.isListed ? upstream.handshake() : undefined)),
    );
    const names = new Set(upstreams.map(({ name }) => name));
    const parts = {
      ownContent: catalog.hasOwnContent,
      // Ours are needed for what is not listed.
      ownInstructions: snapshot.skills.some(({ origin }) => !names.has(origin)) || searchedTools(snapshot, view, tools).size > 0,
    };
    return { ...answer, result: mergeHandshake(own, view.profile.instructions, upstreams, handshakes, parts) };
  }

  #viewFor(scope: RequestScope): HostView {
    return this.#options.hosts.of(scope.clientName, scope.isLocal);
  }

  /** Answered when the subscription ends. */
  async #listen(request: JSONRPCRequest, scope: RequestScope): Promise<Answer> {
    const { max, quota } = scope.session.listenLimits(scope);
    const giveBack = admitListen(scope, max, quota);
    const release = forwardListen(this.#options.catalog, scope);
    try {
      return await scope.session.sdk(scope.era).request(withListedUris(request, this.#options.catalog), scope.peer);
    } finally {
      release();
      giveBack();
    }
  }

  async #subscribe(request: JSONRPCRequest, scope: RequestScope): Promise<Fields> {
    await scope.session.subscriptions?.add(uriIn(request), scope);
    return {};
  }

  #unsubscribe(request: JSONRPCRequest, scope: RequestScope): Fields {
    scope.session.subscriptions?.remove(uriIn(request));
    return {};
  }

  async #setLogLevel({ method, params = NO_PARAMS }: JSONRPCRequest, scope: RequestScope): Promise<Fields> {
    const { upstreams } = this.#options.catalog.snapshot;
    const { level } = params;
    const [only] = upstreams;
    if (upstreams.length === 1 && only !== undefined) {
      const result = await only.forward(method, params, scope.context());
      if (isLevel(level)) scope.session.setLogLevel(level);
      return result;
    }
    if (!isLevel(level)) throw new ProtocolError(InvalidParams, `logging/setLevel needs a level: ${LEVELS.join(', ')}.`);
    scope.session.setLogLevel(level);
    const logging = await Promise.all(
      upstreams
        .filter(({ isListed }) => isListed)
        .map(async (upstream) => ((await upstream.handshake())?.capabilities['logging'] === undefined ? [] : [upstream])),
    );
    await Promise.all(logging.flat().map((upstream) => upstream.forward(method, params, scope.context()).catch(() => {})));
    return {};
  }

  /** A method that is unknown here goes to the first upstream that knows it. */
  async #forward({ method, params = NO_PARAMS }: JSONRPCRequest, scope: RequestScope): Promise<Fields> {
    const skipped: readonly number[] = [MethodNotFound, CONNECTION_CLOSED, ...(method.startsWith('tasks/') ? [InvalidParams] : [])];
    let failure: unknown = new ProtocolError(MethodNotFound, 'Method not found');
    // What the modern era dropped is not revived by an upstream.
    if (this.#legacyMethods.has(method)) throw failure;
    for (const [index, upstream] of worthAsking(this.#options.catalog.snapshot.upstreams).entries()) {
      try {
        return await upstream.forward(method, params, scope.context());
      } catch (cause) {
        if (!(cause instanceof ServerError) || !skipped.includes(cause.code)) throw cause;
        if (index === 0 || cause.code !== MethodNotFound) failure = cause;
      }
    }
    throw failure;
  }

  /** What 2026-07-28 adds to a result. A modern upstream has added it already. */
  #asModern(method: string, result: Fields): Fields {
    if (result['resultType'] !== undefined) return result;
    // Literals with one spread at the end: V8 takes several microseconds for others.
    const isCacheable = CACHEABLE_METHODS.has(method);
    if (this.#options.catalog.hasUpstreams)
      return isCacheable ? { ttlMs: 0, cacheScope: 'private', resultType: 'complete', ...result } : { resultType: 'complete', ...result };
    const modern = isCacheable
      ? { ttlMs: 0, cacheScope: 'private', resultType: 'complete', _meta: OWN_META, ...result }
      : { resultType: 'complete', _meta: OWN_META, ...result };
    if (!('_meta' in result)) return modern;
    return { ...modern, _meta: isFields(result['_meta']) ? { ...OWN_META, ...result['_meta'] } : OWN_META };
  }

  #failure({ id, method }: JSONRPCRequest, cause: unknown, { cancellation }: RequestScope): Answer {
    if (cause instanceof InputRequired) return { jsonrpc: '2.0', id, result: { ...cause.result } };
    if (cause instanceof ServerError || cause instanceof ProtocolError) return errorResponse(id, cause);
    if (cancellation.aborted || cause instanceof DOMException)
      return errorResponse(id, { code: CONNECTION_CLOSED, message: 'The request was cancelled.' });
    this.#options.log.error(`Internal error in ${method}: ${reasonOf(cause)}`);
    return errorResponse(id, { code: InternalError, message: 'Internal error' });
  }
}

const MODERN_ONLY: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

function isLevel(level: unknown): level is string {
  return typeof level === 'string' && LEVELS.includes(level);
}

function uriIn({ method, params }: JSONRPCRequest): string {
  const uri = params?.['uri'];
  if (typeof uri !== 'string') throw new ProtocolError(InvalidParams, `Invalid params for ${method}: uri must be a string.`);
  return uri;
}
