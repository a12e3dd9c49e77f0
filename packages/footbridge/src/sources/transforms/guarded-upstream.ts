/** An upstream for callers that may see only a part of it. Their requests reach that part, and nothing else. */
import { echo } from '../../errors.js';
import { asText, type Fields, isFields } from '../../json.js';
import { equivalentUri } from '../../uri-template.js';
import type { Forwarded, Handshake, HostPeer, ListFollower, Upstream } from '../forwarding.js';
import type { ReadContext, TemplateResource } from '../resource.js';
import { METHOD_NOT_FOUND, ServerError } from '../server/channel.js';
import { type InternalContribution, isUpstreamTool, nameOfTool } from '../source.js';
import type { UpstreamFailure } from '../upstream/failure.js';
import type { Visibility } from './visibility.js';

const INVALID_PARAMS = -32602;

/** Methods that cannot reveal anything hidden. A task is usable only by the caller that received it. */
const HARMLESS: ReadonlySet<string> = new Set([
  'ping',
  'logging/setLevel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
]);

/** Notifications that cannot name anything hidden. */
const KNOWN_NOTIFICATIONS: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
]);

/** The visible part of one upstream, by the upstream's own names. */
class View {
  readonly tools = new Set<unknown>();
  readonly prompts = new Set<unknown>();
  readonly templates = new Map<unknown, TemplateResource>();
  /** Whether the upstream lists anything, visible or not. */
  lists = false;
  /** Whether any of that is visible. */
  shows = false;
  readonly #renamed = new Map<string, string>();
  readonly #renamedTemplates: { readonly resource: TemplateResource; readonly prefix: string }[] = [];

  rename(original: string, shown: string): void {
    if (original !== shown) this.#renamed.set(equivalentUri(original), shown);
  }

  renameTemplate(original: string, resource: TemplateResource): void {
    const { uriTemplate } = resource.entry;
    if (original !== uriTemplate && uriTemplate.endsWith(original))
      this.#renamedTemplates.push({ resource, prefix: uriTemplate.slice(0, -original.length) });
  }

  /** The URI that hosts know for one of the upstream's. Patterns match this one. */
  shown(uri: string): string {
    const known = this.#renamed.size === 0 ? undefined : this.#renamed.get(equivalentUri(uri));
    if (known !== undefined) return known;
    const fitting = this.#renamedTemplates.find(({ resource, prefix }) => resource.template.match(prefix + uri) !== undefined);
    return fitting === undefined ? uri : fitting.prefix + uri;
  }
}

/** Answers for hidden names as an upstream answers for unknown ones. */
class GuardedUpstream implements Upstream {
  readonly #upstream: Upstream;
  readonly #visibility: Visibility;
  view = new View();

  constructor(upstream: Upstream, visibility: Visibility) {
    this.#upstream = upstream;
    this.#visibility = visibility;
  }

  get name(): string {
    return this.#upstream.name;
  }

  get purpose(): string | undefined {
    return this.#isVisible ? this.#upstream.purpose : undefined;
  }

  get readsUnlisted(): boolean {
    return this.#upstream.readsUnlisted;
  }

  get isListed(): boolean {
    return this.#upstream.isListed;
  }

  get showing(): Promise<void> | undefined {
    return this.#upstream.showing;
  }

  get isRunning(): boolean {
    return this.#upstream.isRunning;
  }

  listed(): Promise<void> {
    return this.#upstream.listed();
  }

  lookFor(name: string): Promise<void> | undefined {
    return this.#visibility.seesTool(name) || this.#visibility.seesPrompt(name) ? this.#upstream.lookFor?.(name) : undefined;
  }

  get failure(): UpstreamFailure | undefined {
    return this.#isVisible ? this.#upstream.failure : undefined;
  }

  async handshake(): Promise<Handshake | undefined> {
    const handshake = await this.#upstream.handshake();
    return this.#isVisible ? handshake : undefined;
  }

  async forward(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const { view } = this;
    switch (method) {
      case 'tools/call':
        if (!view.tools.has(params['name'])) throw unknown('Tool', params['name']);
        break;
      case 'prompts/get':
        if (!view.prompts.has(params['name'])) throw unknown('Prompt', params['name']);
        break;
      case 'resources/read':
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        this.#checkUri(params['uri']);
        break;
      case 'completion/complete':
        return this.#complete(params, context);
      default:
        if (!HARMLESS.has(method) || !this.#isVisible) throw new ServerError(METHOD_NOT_FOUND, 'Method not found', undefined);
    }
    return this.#upstream.forward(method, params, context);
  }

  notify(method: string, params: Fields | undefined, host: HostPeer): void {
    if (KNOWN_NOTIFICATIONS.has(method)) this.#upstream.notify(method, params, host);
  }

  /** A fully hidden upstream sends the host nothing. */
  attach(host: HostPeer): () => void {
    return this.#upstream.attach({ ...host, notify: (method, params) => this.#isVisible && host.notify(method, params) });
  }

  followLists(key: string, follower: ListFollower): () => void {
    return this.#upstream.followLists(key, (kind) => {
      if (this.#isVisible) follower(kind);
    });
  }

  async watch(uri: string, watcher: string, context: ReadContext): Promise<Fields> {
    this.#checkUri(uri);
    return this.#upstream.watch(uri, watcher, context);
  }

  unwatch(uri: string, watcher: string): void {
    this.#upstream.unwatch(uri, watcher);
  }

  /** Whether the caller may know that the upstream exists. */
  get #isVisible(): boolean {
    return this.view.lists ? this.view.shows : this.#visibility.maySeeSomeOf(this.name);
  }

  #checkUri(uri: unknown): void {
    if (typeof uri !== 'string' || !this.#visibility.seesUri(this.view.shown(uri))) throw unknown('Resource', uri);
  }

  async #complete(params: Fields, context: ReadContext): Promise<Fields> {
    const ref = isFields(params['ref']) ? params['ref'] : {};
    if (ref['type'] === 'ref/prompt') {
      if (!this.view.prompts.has(ref['name'])) throw unknown('Prompt', ref['name']);
      return this.#upstream.forward('completion/complete', params, context);
    }
    const resource = ref['type'] === 'ref/resource' ? this.view.templates.get(ref['uri']) : undefined;
    if (resource === undefined) throw unknown('Resource template', ref['uri']);
    const variable = isFields(params['argument']) ? asText(params['argument']['name']) : '';
    const result = await this.#upstream.forward('completion/complete', params, context);
    const { completion } = result;
    if (!isFields(completion) || !Array.isArray(completion['values'])) return result;
    const all: readonly unknown[] = completion['values'];
    const values = all.filter((value) => typeof value === 'string' && this.#visibility.seesSomeWith(resource.template, variable, value));
    // The total would reveal that something is hidden.
    return values.length === all.length ? result : { ...result, completion: { values } };
  }
}

function unknown(kind: string, name: unknown): ServerError {
  return new ServerError(INVALID_PARAMS, `${kind} '${echo(asText(name))}' not found`, undefined);
}

/** The guarded upstreams of one source: one object for each upstream, also when its lists change. */
export class GuardedUpstreams {
  readonly #visibility: Visibility;
  readonly #guarded = new WeakMap<Upstream, GuardedUpstream>();

  constructor(visibility: Visibility) {
    this.#visibility = visibility;
  }

  of(upstream: Upstream): GuardedUpstream {
    let guarded = this.#guarded.get(upstream);
    if (guarded === undefined) {
      guarded = new GuardedUpstream(upstream, this.#visibility);
      this.#guarded.set(upstream, guarded);
    }
    return guarded;
  }

  /** The same forwarding through the guarded upstream. */
  forwarded(forwarded: Forwarded): Forwarded {
    return { upstream: this.of(forwarded.upstream), original: (shown) => forwarded.original(shown) };
  }

  /** Replaces what is visible of each upstream. */
  update({ tools = [], prompts = [], resources = [], templates = [], skills = [], upstreams = [] }: InternalContribution): void {
    const views = new Map(upstreams.map((upstream) => [upstream, new View()]));
    const note = (upstream: Upstream, seen: boolean): View => {
      const view = views.get(upstream) ?? new View();
      views.set(upstream, view);
      view.lists = true;
      view.shows ||= seen;
      return view;
    };
    for (const tool of tools.filter(isUpstreamTool)) {
      const seen = this.#visibility.seesTool(nameOfTool(tool));
      const view = note(tool.upstream, seen);
      if (seen) view.tools.add(tool.original(nameOfTool(tool)));
    }
    for (const prompt of prompts) {
      const seen = this.#visibility.seesPrompt(prompt.entry.name);
      const view = note(prompt.upstream, seen);
      if (seen) view.prompts.add(prompt.original(prompt.entry.name));
    }
    for (const { entry, forwarded } of resources)
      if (forwarded !== undefined)
        note(forwarded.upstream, this.#visibility.seesUri(entry.uri)).rename(forwarded.original(entry.uri), entry.uri);
    for (const template of templates) {
      const { entry, forwarded } = template;
      if (forwarded === undefined) continue;
      const seen = this.#visibility.seesSomeOf(entry.uriTemplate);
      const view = note(forwarded.upstream, seen);
      const original = forwarded.original(entry.uriTemplate);
      view.renameTemplate(original, template);
      if (seen) view.templates.set(original, template);
    }
    if (skills.length > 0)
      for (const upstream of upstreams) {
        const own = skills.filter(({ origin }) => origin === upstream.name);
        if (own.length > 0)
          note(
            upstream,
            own.some((skill) => this.#visibility.seesSkill(skill)),
          );
      }
    for (const [upstream, view] of views) this.of(upstream).view = view;
  }
}
