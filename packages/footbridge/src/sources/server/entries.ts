/** A server's listed entries as resources and templates. */
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { echo, FootbridgeError, SEE_RESOURCES } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import { matches } from '../../pattern.js';
import { parseUriTemplate, schemeOf, type UriTemplate } from '../../uri-template.js';
import type { ReadContext, ResourceReading, ResourceTraits, TemplateResource } from '../resource.js';
import { type Channel, saysNotFound } from './channel.js';

/** A template that the server reads and completes. */
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
    template: parsedWhenUsed(entry.uriTemplate),
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

/** Recently parsed templates: the lists of a server are combined again after each change, and a list may repeat a template very often. */
const parsed = new Map<string, UriTemplate>();
const MAX_PARSED = 2000;
/** Longer templates are parsed each time, since they take many times their length in memory. */
const LONGEST_PARSED = 1024;

/** A list may have thousands of templates, and most are only listed. */
function parsedWhenUsed(template: string): UriTemplate {
  let used: UriTemplate | undefined;
  const whole = () => {
    used ??= parsed.get(template) ?? remember(parseOrNothing(template));
    return used;
  };
  return {
    template,
    get variables() {
      return whole().variables;
    },
    get prefix() {
      return whole().prefix;
    },
    get literals() {
      return whole().literals;
    },
    get extent() {
      return whole().extent;
    },
    expand: (values) => whole().expand(values),
    match: (uri) => whole().match(uri),
    missing: (uri) => whole().missing(uri),
  };
}

function remember(template: UriTemplate): UriTemplate {
  if (template.template.length > LONGEST_PARSED) return template;
  if (parsed.size === MAX_PARSED) parsed.clear();
  parsed.set(template.template, template);
  return template;
}

/** An invalid template is listed, but matches nothing. */
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

/** Entries are used unchanged, as long as they have a URI. */
export function isResource(entry: Fields): entry is Fields & Resource {
  return typeof entry['uri'] === 'string';
}

export function isTemplateEntry(entry: Fields): entry is Fields & ResourceTemplateType {
  return typeof entry['uriTemplate'] === 'string';
}

/** A server's "not found" as a `FootbridgeError`; any other error unchanged. */
export function orNotFound(uri: string, cause: unknown): unknown {
  if (!saysNotFound(cause)) return cause;
  return new FootbridgeError('NotFound', `Nothing found at '${echo(uri)}'.`, {
    details: cause.message,
    suggestedActions: [SEE_RESOURCES],
    cause,
  });
}

/** Properties of the resources that match a pattern. `*` matches any run of characters. */
export interface ResourceRule {
  readonly match: string;
  /** Shown in discovery; the server itself decides who may read. */
  readonly requiresAdmin?: boolean;
  readonly category?: string;
}

/** For each property the first matching rule that sets it. */
export function traitsOf(rules: readonly ResourceRule[], uri: string): ResourceTraits {
  if (rules.length === 0) return { category: schemeOf(uri) ?? 'other', requiresAdmin: false };
  const fitting = rules.filter(({ match }) => matches(match, uri));
  return {
    category: fitting.find(({ category }) => category !== undefined)?.category ?? schemeOf(uri) ?? 'other',
    requiresAdmin: fitting.find(({ requiresAdmin }) => requiresAdmin !== undefined)?.requiresAdmin ?? false,
  };
}
