/** The source `server`: an MCP server that is asked each time, so that what it registers later is there at once. */

import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { echo, FootbridgeError, SEE_RESOURCES } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import { parseUriTemplate, type UriTemplate } from '../../uri-template.js';
import type { ReadContext, ResourceReading, StaticResource, TemplateResource } from '../resource.js';
import type { Contribution, Source } from '../source.js';
import { type Channel, listAll, ServerError } from './channel.js';
import { toReading } from './contents.js';
import { type ResourceRule, traitsOf } from './rules.js';

export interface ServerSourceOptions {
  readonly channel: Channel;
  readonly rules: readonly ResourceRule[];
  /** Throws when the server's own transport would refuse this read. */
  readonly guard?: (uri: string, context: ReadContext) => Promise<void> | undefined;
}

const NOT_FOUND: readonly number[] = [-32002, -32602];
/** What servers say that have no code for it. */
const NOT_FOUND_WORDS = /\b(?:not found|no such|unknown resource|does(?: not|n't) exist)\b/i;

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
      const resources = (await listAll(channel, 'resources/list', 'resources', context))?.filter(isResource);
      const templates = (await listAll(channel, 'resources/templates/list', 'resourceTemplates', context))?.filter(isTemplateEntry);
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

/** What a server lists is taken as it comes, as long as it says where it is. */
function isResource(entry: Fields): entry is Fields & Resource {
  return typeof entry['uri'] === 'string';
}

function isTemplateEntry(entry: Fields): entry is Fields & ResourceTemplateType {
  return typeof entry['uriTemplate'] === 'string';
}

function orNotFound(uri: string, cause: unknown): unknown {
  if (!(cause instanceof ServerError)) return cause;
  if (!NOT_FOUND.includes(cause.code) && !NOT_FOUND_WORDS.test(cause.message)) return cause;
  return new FootbridgeError('NotFound', `There is nothing at '${echo(uri)}'.`, {
    details: cause.message,
    suggestedActions: [SEE_RESOURCES],
    cause,
  });
}
