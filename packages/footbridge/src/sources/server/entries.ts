/** What a server lists, as the catalog holds it. */
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { echo, FootbridgeError, SEE_RESOURCES } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import { parseUriTemplate, type UriTemplate } from '../../uri-template.js';
import type { ReadContext, ResourceReading, TemplateResource } from '../resource.js';
import { type Channel, saysNotFound } from './channel.js';
import { type ResourceRule, traitsOf } from './rules.js';

/** A template whose content and completion the server knows. */
export function toTemplate(
  entry: ResourceTemplateType,
  rules: readonly ResourceRule[],
  channel: Channel,
  read: (uri: string, context: ReadContext) => Promise<ResourceReading>,
  /** The template as the server knows it. */
  original = entry.uriTemplate,
): TemplateResource {
  return {
    ...traitsOf(rules, entry.uriTemplate),
    entry,
    template: parseOrNothing(entry.uriTemplate),
    examples: {},
    read: (uri, _variables, context) => read(uri, context),
    async complete(name, value, context) {
      const ref = { type: 'ref/resource', uri: original };
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
export function isResource(entry: Fields): entry is Fields & Resource {
  return typeof entry['uri'] === 'string';
}

export function isTemplateEntry(entry: Fields): entry is Fields & ResourceTemplateType {
  return typeof entry['uriTemplate'] === 'string';
}

/** What a server said that has nothing there, as an error of ours; all else as it is. */
export function orNotFound(uri: string, cause: unknown): unknown {
  if (!saysNotFound(cause)) return cause;
  return new FootbridgeError('NotFound', `Nothing found at '${echo(uri)}'.`, {
    details: cause.message,
    suggestedActions: [SEE_RESOURCES],
    cause,
  });
}
