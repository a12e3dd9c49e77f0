/** The source `server`: an MCP server that is asked each time, so that what it registers later is there at once. */

import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { echo, FootbridgeError } from '../../errors.js';
import { isFields } from '../../json.js';
import { parseUriTemplate, type UriTemplate } from '../../uri-template.js';
import {
  Interruption,
  type ReadContext,
  type ResourceContents,
  type ResourceReading,
  type StaticResource,
  type TemplateResource,
} from '../resource.js';
import type { Contribution, Source } from '../source.js';
import { type ResourceRule, traitsOf } from './rules.js';

/** A way to ask a server, in the name of whoever the context is about. */
export interface Channel {
  /** Resolves with the result. Rejects with a `ServerError` when the server refuses, and when the context's signal is aborted. */
  request(method: string, params: Readonly<Record<string, unknown>>, context: ReadContext): Promise<Readonly<Record<string, unknown>>>;
}

/** What a server answered instead of a result. */
export class ServerError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(message);
    this.name = 'ServerError';
  }
}

export interface ServerSourceOptions {
  readonly channel: Channel;
  readonly rules: readonly ResourceRule[];
  /** Throws when the server's own transport would refuse this read. */
  readonly guard?: (uri: string, context: ReadContext) => Promise<void> | undefined;
}

/** Pages of one list; a server that never ends it is not followed further. */
const MOST_PAGES = 1000;
const METHOD_NOT_FOUND = -32601;
const NOT_FOUND: readonly number[] = [-32002, -32602];

/** Resources and templates of a server. It is first asked when it is refreshed. */
export function serverSource({ channel, rules, guard }: ServerSourceOptions): Source {
  let listed = '';
  let changed: ((next: Contribution) => void) | undefined;

  const read = async (uri: string, context: ReadContext): Promise<ResourceReading> => {
    const guarded = guard?.(uri, context);
    if (guarded !== undefined) await guarded;
    try {
      return toReading(await channel.request('resources/read', { uri }, context));
    } catch (cause) {
      throw orNotFound(uri, cause);
    }
  };
  const contribute = (
    resources: readonly Resource[] | undefined,
    templates: readonly ResourceTemplateType[] | undefined,
  ): Contribution => ({
    skills: [],
    live: true,
    resources: (resources ?? []).map((entry): StaticResource => ({ ...traitsOf(rules, entry.uri), entry, read })),
    templates: (templates ?? []).map((entry) => toTemplate(entry, rules, channel, read)),
    // A server without either method has no resources at all.
    ...(resources === undefined && templates === undefined ? {} : { readUnlisted: read }),
    notices: [],
  });

  return {
    name: 'server',
    async open(onChange) {
      changed = onChange;
      return contribute([], []);
    },
    async refresh(context) {
      if (context === undefined) return;
      const resources = await listAll<Resource>(channel, 'resources/list', 'resources', context, (each) => typeof each['uri'] === 'string');
      const templates = await listAll<ResourceTemplateType>(
        channel,
        'resources/templates/list',
        'resourceTemplates',
        context,
        (each) => typeof each['uriTemplate'] === 'string',
      );
      const now = JSON.stringify([resources, templates]);
      if (now === listed) return;
      listed = now;
      changed?.(contribute(resources, templates));
    },
    close() {
      changed = undefined;
    },
  };
}

function toTemplate(
  entry: ResourceTemplateType,
  rules: readonly ResourceRule[],
  channel: Channel,
  read: (uri: string, context: ReadContext) => Promise<ResourceReading>,
): TemplateResource {
  return {
    ...traitsOf(rules, entry.uriTemplate),
    entry,
    template: parseOrNothing(entry.uriTemplate),
    examples: {},
    read: (uri, _variables, context) => read(uri, context),
    async complete(name, value, context) {
      const ref = { type: 'ref/resource', uri: entry.uriTemplate };
      const { completion } = await channel.request('completion/complete', { ref, argument: { name, value } }, context);
      const values = isFields(completion) ? completion['values'] : [];
      return Array.isArray(values) ? values.filter((each) => typeof each === 'string') : [];
    },
  };
}

/** A template beyond the standard is listed as it is; what it stands for only its server knows. */
function parseOrNothing(template: string): UriTemplate {
  try {
    return parseUriTemplate(template);
  } catch {
    return {
      template,
      variables: [],
      prefix: '',
      literals: [template],
      expand: () => template,
      match: () => undefined,
      missing: () => undefined,
    };
  }
}

/** All pages of a list; undefined from a server that does not know the method. */
async function listAll<T>(
  channel: Channel,
  method: string,
  field: string,
  context: ReadContext,
  isEntry: (entry: Readonly<Record<string, unknown>>) => boolean,
): Promise<T[] | undefined> {
  const entries: T[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page++) {
    const result = await channel.request(method, cursor === undefined ? {} : { cursor }, context).catch((cause: unknown) => {
      if (cause instanceof ServerError && cause.code === METHOD_NOT_FOUND) return undefined;
      throw cause;
    });
    if (result === undefined) return undefined;
    const listed = Object.hasOwn(result, field) ? Reflect.get(result, field) : [];
    // What a server lists is taken as it comes, as long as it says where it is.
    if (Array.isArray(listed)) entries.push(...listed.filter((each: unknown) => isFields(each) && isEntry(each)));
    cursor = Reflect.get(result, 'nextCursor');
    if (typeof cursor !== 'string') break;
  }
  return entries;
}

function orNotFound(uri: string, cause: unknown): unknown {
  if (!(cause instanceof ServerError) || !NOT_FOUND.includes(cause.code)) return cause;
  return new FootbridgeError('NotFound', `There is nothing at '${echo(uri)}'.`, {
    details: cause.message,
    suggestedActions: ['Call get_resource() to see all available resources.'],
    cause,
  });
}

function toReading(result: Readonly<Record<string, unknown>>): ResourceReading {
  if (result['resultType'] === 'input_required') throw new Interruption(result);
  const { contents, _meta } = result;
  if (!Array.isArray(contents) || !contents.every(isContents)) throw new TypeError('the server answered with something that is no content');
  return isFields(_meta) ? { contents, _meta } : { contents };
}

function isContents(value: unknown): value is ResourceContents {
  return isFields(value) && typeof value['uri'] === 'string' && (typeof value['text'] === 'string' || typeof value['blob'] === 'string');
}
