import { ownField } from '../../json.js';
import { isTemplate, parseUriTemplate, schemeOf } from '../../uri-template.js';
import { requireAdmin } from '../require-admin.js';
import type { ReadContext, ResourceTraits, StaticResource, TemplateResource } from '../resource.js';
import type { InternalContribution, Source, ToolMeta } from '../source.js';
import { checkDefinition } from './check.js';
import { readingOf } from './content.js';
import type { AnyDefinition, Variable } from './definition.js';
import { type AnyToolDefinition, toDefinedTool } from './tool.js';
import { toParameters } from './variables.js';

/** The source, and functions to change it. */
export interface DefinedSource extends Source {
  refresh(): Promise<void>;
  close(): void;
  /** Replaces all resources at once. */
  replace(definitions: readonly AnyDefinition[]): void;
  /** Reports that the content at a URI changed: drops it from the cache, and notifies subscribers. */
  updated(uri: string): void;
}

/** What is served options resources. */
export interface DefineOptions {
  /** The source's name, for logs and people. Default `define`. */
  readonly name?: string;
  /** Made with `defineTool`. */
  readonly tools?: readonly AnyToolDefinition[];
  readonly toolMeta?: ToolMeta;
}

/** Serves resources made with `defineResource`. Throws for an invalid URI or template. */
export function defineResources(definitions: readonly AnyDefinition[], options: DefineOptions = {}): DefinedSource {
  const tools = toolsOf(options);
  let contribution = { ...contribute(definitions), ...tools };
  let changed: ((next: InternalContribution) => void) | undefined;
  let reportUpdated: ((uri: string) => void) | undefined;
  return {
    name: options.name ?? 'define',
    async open(onChange, onUpdate) {
      changed = onChange;
      reportUpdated = onUpdate;
      return contribution;
    },
    refresh: async () => {},
    close() {
      changed = undefined;
      reportUpdated = undefined;
    },
    replace(next) {
      contribution = { ...contribute(next), ...tools };
      changed?.(contribution);
    },
    updated: (uri) => reportUpdated?.(uri),
  };
}

function toolsOf({ tools, toolMeta }: DefineOptions): Pick<InternalContribution, 'tools' | 'toolMeta'> {
  return { ...(tools === undefined ? {} : { tools: tools.map(toDefinedTool) }), toolMeta };
}

function contribute(definitions: readonly AnyDefinition[]): InternalContribution {
  if (!Array.isArray(definitions)) throw new TypeError('defineResources() takes an array of resources.');
  const uris = new Set<string>();
  for (const definition of definitions) {
    checkDefinition(definition);
    if (uris.has(definition.uri)) throw new Error(`'${definition.uri}' is defined twice.`);
    uris.add(definition.uri);
  }
  return {
    resources: definitions.filter(({ uri }) => !isTemplate(uri)).map(toStatic),
    templates: definitions.filter(({ uri }) => isTemplate(uri)).map(toTemplate),
  };
}

function toStatic(definition: AnyDefinition): StaticResource {
  const { uri, mimeType } = definition;
  const scheme = checkedScheme(uri);
  if (/[{}]/.test(uri)) throw new Error(`'${uri}' has an unmatched brace. Write variables as {name}.`);
  return {
    ...traits(definition, scheme),
    entry: { uri, ...described(definition), ...(definition.size === undefined ? {} : { size: definition.size }) },
    async read(_uri, context) {
      const reading = readingOf(await definition.read({}, context), uri, mimeType);
      if (reading === undefined) throw new TypeError('the reader returned undefined');
      return reading;
    },
  };
}

function toTemplate(definition: AnyDefinition): TemplateResource {
  const template = parseUriTemplate(definition.uri);
  const names = template.variables.map(({ name }) => name);
  const { variables = {}, parameters = {} } = definition;
  for (const name of [...Object.keys(variables), ...Object.keys(parameters)])
    if (!names.includes(name)) throw new Error(`The template '${definition.uri}' has no variable '${name}'.`);
  return {
    ...traits(definition, checkedScheme(definition.uri)),
    entry: { uriTemplate: definition.uri, ...described(definition) },
    template,
    examples: Object.fromEntries(Object.entries(variables).map(([name, spec]) => [name, spec?.examples ?? []])),
    async read(uri, values, context) {
      return readingOf(await definition.read(await toParameters(definition, template, values), context), uri, definition.mimeType);
    },
    complete: (name, typed, context) => complete(ownField(variables, name), typed, context),
  };
}

async function complete(spec: Variable | undefined, typed: string, context: ReadContext): Promise<readonly string[]> {
  if (typeof spec?.complete === 'function') return spec.complete(typed, context);
  const start = typed.toLowerCase();
  return (spec?.complete ?? spec?.examples ?? []).filter((value) => value.toLowerCase().startsWith(start));
}

function traits(definition: AnyDefinition, scheme: string): ResourceTraits {
  const { category = scheme, requiresAdmin = false, timeoutMs, maxBytes, cacheHint } = definition;
  return {
    category,
    requiresAdmin,
    timeoutMs,
    maxBytes,
    cacheHint,
    ...(requiresAdmin ? { authorize: requireAdmin } : {}),
  };
}

function described({ name, title, description, mimeType, annotations, icons, _meta }: AnyDefinition) {
  return {
    name,
    title,
    description,
    mimeType,
    annotations,
    icons,
    _meta,
  };
}

function checkedScheme(uri: string): string {
  const scheme = schemeOf(uri);
  if (scheme === undefined) throw new Error(`Invalid URI '${uri}'. Start it with a scheme, as in docs://pages.`);
  return scheme;
}
