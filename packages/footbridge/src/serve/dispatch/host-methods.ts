/** The methods of a server that hosts connect to: those of the catalog, of the SDK, and of upstreams. */
import { type JSONRPCRequest, ProtocolError, ProtocolErrorCode, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import { type Fields, weightOf } from '../../json.js';
import { bytesOf } from '../../json-pieces.js';
import type { Log } from '../../log.js';
import { worthAsking } from '../../sources/forwarding.js';
import { ServerError } from '../../sources/server/channel.js';
import { LEVELS } from '../../sources/upstream/eras.js';
import { CONNECTION_CLOSED } from '../../sources/upstream/json-rpc.js';
import { prepareCatalogue } from '../../surfaces/catalogue/ranked.js';
import type { HostView, HostViews } from '../../surfaces/hosts/view.js';
import { instructionsFor } from '../../surfaces/instructions.js';
import { orProtocolError } from '../../surfaces/resources.js';
import { searchedTools } from '../../surfaces/tool-search/listing.js';
import type { ToolChoice } from '../../surfaces/tools/index.js';
import { Turns } from '../../turns.js';
import type { Answer } from '../messages.js';
import { SERVER_INFO } from '../sdk/server.js';
import { admitListen, forwardListen, withListedUris } from '../session/subscriptions.js';
import { methodNotFound } from './answers.js';
import { catalogMethods } from './catalog-methods.js';
import { Dispatcher, type Method, type Methods, type SdkMethod } from './dispatcher.js';
import { mergeHandshake } from './handshake.js';
import type { RequestScope } from './scope.js';

export interface HostMethodsOptions {
  readonly catalog: Catalog;
  readonly tools: ToolChoice;
  /** How the catalog is shown to each host. */
  readonly hosts: HostViews;
  /** Whether each skill is a prompt too. */
  readonly prompts: boolean;
  readonly log: Log;
}

export type HostDispatcher = Dispatcher<RequestScope>;

/** A dispatcher for requests of hosts that are connected to us. */
export function hostDispatcher(options: HostMethodsOptions): HostDispatcher {
  return new Dispatcher(new HostMethods(options), options.log);
}

const { InvalidParams, InvalidRequest, MethodNotFound } = ProtocolErrorCode;
/** Bytes of `initialize`, as `weightOf` counts them. */
export const MAX_HANDSHAKE = 64 * 1024;
/** Bytes of an answer that are counted one by one. */
const MAX_COUNTED = 64 * 1024 * 1024;
/** Skills that `skills/list` returns at once, and the bytes of one with the most files, about. */
const SKILLS_OF_PAGE = 100;
const BYTES_OF_SKILL = 160 * 1024;
const NO_PARAMS: Fields = {};
/** The `_meta` of our own results. */
const OWN_META: Fields = { [SERVER_INFO_META_KEY]: SERVER_INFO };

class HostMethods implements Methods<RequestScope> {
  readonly common: ReadonlyMap<string, Method<RequestScope>>;
  readonly legacy: ReadonlyMap<string, Method<RequestScope>>;
  readonly sdk: ReadonlyMap<string, SdkMethod<RequestScope>>;
  readonly #options: HostMethodsOptions;

  constructor(options: HostMethodsOptions) {
    const { catalog, tools } = options;
    this.#options = options;
    this.common = catalogMethods({ ...options, tools: () => tools });
    const legacy = new Map<string, Method<RequestScope>>([
      ['ping', () => ({})],
      ['resources/subscribe', (request, scope) => this.#subscribe(request, scope)],
      ['resources/unsubscribe', (request, scope) => this.#unsubscribe(request, scope)],
    ]);
    if (catalog.hasUpstreams) legacy.set('logging/setLevel', (request, scope) => this.#setLogLevel(request, scope));
    this.legacy = legacy;
    const bySdk: SdkMethod<RequestScope> = (request, scope) => scope.session.sdk(scope.era).request(request, scope.peer);
    this.sdk = new Map<string, SdkMethod<RequestScope>>([
      ['initialize', (request, scope) => this.#handshake(request, scope)],
      ['server/discover', (request, scope) => this.#handshake(request, scope)],
      ['subscriptions/listen', (request, scope) => this.#listen(request, scope)],
      ['skills/list', (request, scope) => this.#listSkills(request, scope, bySdk)],
      ['skills/get', bySdk],
      ['resources/directory/read', bySdk],
    ]);
  }

  readonly other = (request: JSONRPCRequest, scope: RequestScope): Promise<Fields> => this.#forward(request, scope);

  begin(scope: RequestScope): void {
    if (this.#options.catalog.hasUpstreams) scope.session.onRequest(scope);
  }

  meta(): Fields | undefined {
    return this.#options.catalog.hasUpstreams ? undefined : OWN_META;
  }

  async #handshake(request: JSONRPCRequest, scope: RequestScope): Promise<Answer> {
    const { catalog, tools } = this.#options;
    // Client info is kept as long as its connection.
    if (weightOf(request, MAX_HANDSHAKE) > MAX_HANDSHAKE)
      throw new ProtocolError(InvalidRequest, `${request.method} may take ${MAX_HANDSHAKE} bytes. Send less client information.`);
    scope.session.onHandshake(scope);
    const answer = await scope.session.sdk(scope.era).request(request, scope.peer);
    if ('error' in answer) return answer;
    // Cached lists are part of this answer: shown later, they would be a change.
    await Promise.all(new Set(catalog.snapshot.upstreams.map(({ showing }) => showing)));
    const { snapshot } = catalog;
    const { upstreams } = snapshot;
    const view = this.#viewFor(scope);
    await prepareCatalogue(snapshot, view);
    const own = (longest?: number) => ({ ...answer.result, instructions: instructionsFor(catalog.snapshot, view, tools, longest) });
    if (upstreams.length === 0) return { ...answer, result: own() };
    const handshakes = await Promise.all(
      upstreams.map((upstream) => (upstreams.length === 1 || upstream.isListed ? upstream.handshake() : undefined)),
    );
    const names = new Set(upstreams.map(({ name }) => name));
    const parts = {
      ownContent: catalog.hasOwnContent,
      // Our instructions are needed for unlisted tools.
      ownInstructions: snapshot.skills.some(({ origin }) => !names.has(origin)) || searchedTools(snapshot, view, tools).size > 0,
    };
    return { ...answer, result: mergeHandshake(own, view.profile.instructions, upstreams, handshakes, parts) };
  }

  #viewFor(scope: RequestScope): HostView {
    return this.#options.hosts.of(scope.clientName, scope.isLocal);
  }

  /** Waits for memory first: the SDK has all of a page before it answers. It makes that in one turn, so each gets one of its own. */
  async #listSkills(request: JSONRPCRequest, scope: RequestScope, list: SdkMethod<RequestScope>): Promise<Answer> {
    const { cancellation, memory } = scope;
    if (memory === undefined) return list(request, scope);
    const bytes = BYTES_OF_SKILL * Math.min(SKILLS_OF_PAGE, this.#options.catalog.snapshot.skills.length);
    await orProtocolError(request.method, async () => memory.take(bytes, cancellation));
    let held = 0;
    try {
      const turns = new Turns('call');
      await turns.next();
      // A ping takes several turns: of many lists, only every other one makes such a long one.
      await turns.next();
      const answer = await list(request, scope);
      held = bytesOf(answer, MAX_COUNTED);
      return answer;
    } finally {
      memory.add(held - bytes);
    }
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
    let failure: unknown = methodNotFound();
    // A method that the modern era removed is not forwarded.
    if (this.legacy.has(method)) throw failure;
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
}

function isLevel(level: unknown): level is string {
  return typeof level === 'string' && LEVELS.includes(level);
}

function uriIn({ method, params }: JSONRPCRequest): string {
  const uri = params?.['uri'];
  if (typeof uri !== 'string') throw new ProtocolError(InvalidParams, `Invalid params for ${method}: uri must be a string.`);
  return uri;
}
