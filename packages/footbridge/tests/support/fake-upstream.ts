/** An upstream server that is an object in the test: it gives the configured answers and records its requests. */
import { type Caller, FootbridgeError } from 'footbridge';
import type { Upstream } from '../../src/sources/forwarding.js';
import { ServerError } from '../../src/sources/server/channel.js';
import type { InternalContribution, InternalSource, Skill } from '../../src/sources/source.js';
import type { UpstreamFailure } from '../../src/sources/upstream/failure.js';
import { parseUriTemplate } from '../../src/uri-template.js';
import type { Json } from './client.js';

export interface ServerParts {
  readonly tools?: readonly Json[];
  readonly prompts?: readonly Json[];
  /** URIs. */
  readonly resources?: readonly string[];
  readonly templates?: readonly string[];
  /** The prefix of its names and, with `+`, of its URIs. */
  readonly prefix?: string;
  readonly isListed?: boolean;
  readonly readsUnlisted?: boolean;
  readonly requiresAdmin?: boolean;
  readonly purpose?: string;
  readonly answer?: (method: string, params: Json) => Json;
}

export class FakeUpstream implements Upstream {
  readonly asked: Json[] = [];
  failure: UpstreamFailure | undefined;
  readonly isRunning = true;
  readonly isListed: boolean;
  readonly purpose: string | undefined;
  readonly readsUnlisted: boolean;

  constructor(
    readonly name: string,
    readonly parts: ServerParts = {},
  ) {
    this.isListed = parts.isListed ?? true;
    this.readsUnlisted = parts.readsUnlisted ?? false;
    this.purpose = parts.purpose;
  }

  async listed() {}

  async handshake() {
    return { serverInfo: { name: this.name }, capabilities: {}, instructions: undefined, result: {} };
  }

  async forward(method: string, params: Json) {
    this.asked.push([method, params]);
    return this.parts.answer?.(method, params) ?? { from: this.name };
  }

  notify(method: string) {
    this.asked.push([method]);
  }

  followLists(): () => void {
    return () => {};
  }

  attach() {
    return () => {};
  }

  async watch(uri: string, _watcher: string) {
    this.asked.push(['watch', uri]);
    return {};
  }

  unwatch() {}
}

/** An error of a server. */
export function refusal(code: number, message: string, data?: unknown): ServerError {
  return new ServerError(code, message, data);
}

export function contributionOf(servers: readonly FakeUpstream[], skills: readonly Skill[] = []): InternalContribution {
  const carriedBy = (server: FakeUpstream, mark: string) => ({
    upstream: server,
    original: (shown: string) => (server.parts.prefix === undefined ? shown : shown.slice(server.parts.prefix.length + mark.length)),
  });
  const shown = (server: FakeUpstream, name: string, mark: string) =>
    (server.parts.prefix ?? '') + (server.parts.prefix ? mark : '') + name;
  const traits = (server: FakeUpstream) => ({
    forwarded: carriedBy(server, '+'),
    origin: server.name,
    category: 'test',
    requiresAdmin: server.parts.requiresAdmin ?? false,
    ...(server.parts.requiresAdmin === true
      ? {
          authorize(_uri: string, caller: Caller) {
            if (!caller.admin) throw new FootbridgeError('Unauthorized', 'For admins.');
          },
        }
      : {}),
  });
  return {
    skills,
    notices: [],
    upstreams: servers,
    tools: servers.flatMap((server) =>
      (server.parts.tools ?? []).map((tool) => ({
        ...carriedBy(server, '__'),
        entry: server.parts.prefix === undefined ? tool : { ...tool, name: shown(server, tool.name, '__') },
      })),
    ),
    prompts: servers.flatMap((server) =>
      (server.parts.prompts ?? []).map((prompt) => ({
        ...carriedBy(server, '__'),
        entry: server.parts.prefix === undefined ? prompt : { ...prompt, name: shown(server, prompt.name, '__') },
      })),
    ),
    resources: servers.flatMap((server) =>
      (server.parts.resources ?? []).map((uri) => ({
        ...traits(server),
        entry: { uri: shown(server, uri, '+'), name: uri },
        read: async () => ({ contents: [{ uri, text: `${server.name} has ${uri}` }] }),
      })),
    ),
    templates: servers.flatMap((server) =>
      (server.parts.templates ?? []).map((uriTemplate) => ({
        ...traits(server),
        entry: { uriTemplate: shown(server, uriTemplate, '+'), name: uriTemplate },
        template: parseUriTemplate(shown(server, uriTemplate, '+')),
        examples: {},
        read: async (uri: string) => ({ contents: [{ uri, text: `${server.name} has ${uri}` }] }),
        complete: async () => [],
      })),
    ),
  };
}

/** A source of these servers, and a function that changes what it contributes. */
export function sourceOf(contribution: InternalContribution): { source: InternalSource; replace(next: InternalContribution): void } {
  let changed: (next: InternalContribution) => void = () => {};
  return {
    source: {
      name: 'upstream',
      async open(onChange) {
        changed = onChange;
        return contribution;
      },
      refresh: async () => {},
      close() {},
    },
    replace: (next) => changed(next),
  };
}
