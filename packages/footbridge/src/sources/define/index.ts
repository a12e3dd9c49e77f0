/** Resources and tools written in code. */
import { isFields, ownField } from '../../json.js';
import { checkLimits } from '../../limits.js';
import { isTemplate, parseUriTemplate, schemeOf } from '../../uri-template.js';
import {
  type ReadContext,
  type ResourceContents,
  type ResourceReading,
  type ResourceTraits,
  requireAdmin,
  STATUS_URI,
  type StaticResource,
  type TemplateResource,
} from '../resource.js';
import type { InternalContribution, Source, ToolMeta } from '../source.js';
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
  return { tools: tools?.map(toDefinedTool), toolMeta };
}

function contribute(definitions: readonly AnyDefinition[]): InternalContribution {
  if (!Array.isArray(definitions)) throw new TypeError('defineResources() takes an array of resources.');
  const uris = new Set<string>();
  for (const definition of definitions) {
    checkDefinition(definition);
    if (uris.has(definition.uri)) throw new Error(`'${definition.uri}' is defined twice.`);
    uris.add(definition.uri);
  }
  const status = uris.has(STATUS_URI) ? STATUS_URI : undefined;
  return {
    resources: definitions.filter(({ uri }) => !isTemplate(uri)).map((each) => toStatic(each, status)),
    templates: definitions.filter(({ uri }) => isTemplate(uri)).map((each) => toTemplate(each, status)),
  };
}

function toStatic(definition: AnyDefinition, status: string | undefined): StaticResource {
  const { uri, mimeType } = definition;
  const scheme = checkedScheme(uri);
  if (/[{}]/.test(uri)) throw new Error(`'${uri}' has an unmatched brace. Write variables as {name}.`);
  return {
    ...traits(definition, scheme, status),
    entry: { uri, ...described(definition), ...(definition.size === undefined ? {} : { size: definition.size }) },
    async read(_uri, context) {
      const reading = readingOf(await definition.read({}, context), uri, mimeType);
      if (reading === undefined) throw new TypeError('the reader returned undefined');
      return reading;
    },
  };
}

function toTemplate(definition: AnyDefinition, status: string | undefined): TemplateResource {
  const template = parseUriTemplate(definition.uri);
  const names = template.variables.map(({ name }) => name);
  const { variables = {}, parameters = {} } = definition;
  for (const name of [...Object.keys(variables), ...Object.keys(parameters)])
    if (!names.includes(name)) throw new Error(`The template '${definition.uri}' has no variable '${name}'.`);
  return {
    ...traits(definition, checkedScheme(definition.uri), status),
    entry: { uriTemplate: definition.uri, ...described(definition) },
    template,
    checksVariables: true,
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

function traits(definition: AnyDefinition, scheme: string, status: string | undefined): ResourceTraits {
  const { category = scheme, requiresAdmin = false, timeoutMs, maxBytes, cacheHint } = definition;
  return {
    category,
    requiresAdmin,
    timeoutMs,
    maxBytes,
    cacheHint,
    ...(requiresAdmin ? { authorize: (uri, caller) => requireAdmin(uri, caller, status) } : {}),
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

const KEYS = new Set([
  ...['uri', 'name', 'title', 'description', 'category', 'requiresAdmin', 'mimeType', 'size', 'annotations', 'icons', '_meta'],
  ...['timeoutMs', 'maxBytes', 'cacheHint', 'variables', 'parameters', 'read'],
]);
const VARIABLE_KEYS = new Set(['schema', 'examples', 'complete', 'required']);
const HINT_KEYS = new Set(['ttlMs', 'cacheScope']);

/** Throws for an invalid definition. Unknown keys are refused: one may have been meant to restrict access. */
function checkDefinition(definition: AnyDefinition): void {
  if (!isFields(definition)) throw new TypeError('A resource is an object with uri, name and read.');
  const { uri, name, read, variables = {}, parameters = {}, cacheHint = {} } = definition;
  if (typeof uri !== 'string') throw new TypeError('A resource needs a uri.');
  const about = `the resource '${uri}'`;
  if (typeof name !== 'string' || name === '') throw new TypeError(`${capital(about)} needs a name.`);
  if (typeof read !== 'function') throw new TypeError(`${capital(about)} needs a function read.`);
  refuseOthers(definition, KEYS, about);
  refuseOthers(cacheHint, HINT_KEYS, `the cacheHint of '${uri}'`);
  for (const [variable, spec] of Object.entries(variables)) {
    if (isFields(spec) && '~standard' in spec) throw new TypeError(`Write { schema: … } for the variable '${variable}' of '${uri}'.`);
    refuseOthers(spec ?? {}, VARIABLE_KEYS, `the variable '${variable}' of '${uri}'`);
  }
  const renamed = Object.values(parameters);
  if (new Set(renamed).size < renamed.length) throw new TypeError(`Two variables of '${uri}' map to the same parameter.`);
  checkLimits(definition);
}

function refuseOthers(given: object, known: ReadonlySet<string>, about: string): void {
  const unknown = Object.keys(given).filter((key) => !known.has(key));
  if (unknown.length > 0)
    throw new TypeError(`${capital(about)} has unknown keys: ${unknown.join(', ')}. Valid keys: ${[...known].join(', ')}.`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The reader returned something that is not content. */
class ShapeError extends TypeError {}

/** The content that a reader returned; undefined for undefined. */
function readingOf(value: unknown, uri: string, mimeType: string | undefined): ResourceReading | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return { contents: [{ uri, mimeType: mimeType ?? 'text/plain', text: value }] };
  const blob = toBase64(value);
  if (blob !== undefined) return { contents: [{ uri, mimeType: mimeType ?? 'application/octet-stream', blob }] };
  if (isFields(value) && Array.isArray(value['contents'])) {
    const contents = value['contents'].map((each: unknown, index) => toContents(each, index, uri, mimeType));
    return isFields(value['_meta']) ? { contents, _meta: value['_meta'] } : { contents };
  }
  return { contents: [{ uri, mimeType: mimeType ?? 'application/json', text: toJson(value) }], isWritten: true };
}

function toContents(value: unknown, index: number, uri: string, mimeType: string | undefined): ResourceContents {
  if (!isFields(value)) throw new ShapeError(`contents[${index}] is not an object`);
  const { text, blob, _meta, uri: own = uri, mimeType: ownType = mimeType } = value;
  if (typeof own !== 'string') throw new ShapeError(`contents[${index}].uri is not a string`);
  if (ownType !== undefined && typeof ownType !== 'string') throw new ShapeError(`contents[${index}].mimeType is not a string`);
  if (_meta !== undefined && !isFields(_meta)) throw new ShapeError(`contents[${index}]._meta is not an object`);
  const rest = { uri: own, mimeType: ownType, _meta };
  if (typeof text === 'string' && blob === undefined) return { ...rest, text };
  const encoded = typeof blob === 'string' && BASE64.test(blob) ? blob : toBase64(blob);
  if (encoded !== undefined && text === undefined) return { ...rest, blob: encoded };
  throw new ShapeError(`contents[${index}] has neither a text nor a blob in base64, or both`);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function toBase64(value: unknown): string | undefined {
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64');
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  return undefined;
}

function toJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new ShapeError('the value cannot be converted to JSON', { cause });
  }
  if (text === undefined) throw new ShapeError(`a ${typeof value} is not content`);
  return text;
}
