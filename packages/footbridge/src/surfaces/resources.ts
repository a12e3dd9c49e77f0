/** The surface `resources`: for hosts that list and read resources. */
import {
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import { templatesOf } from '../catalog/skill-template.js';
import { perSnapshot, type Snapshot } from '../catalog/snapshot.js';
import { FootbridgeError } from '../errors.js';
import type { Fields } from '../json.js';
import { redactInput } from '../redact.js';
import type { ReadContext, StaticResource } from '../sources/resource.js';
import { ServerError } from '../sources/server/channel.js';
import { skillUri } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { type Page, paginate } from './paging.js';

const PAGE = 1000;
/** The protocol's limit of one completion. */
const COMPLETIONS = 100;

/** A host that has listed them without a cursor will do so again, and gets the same page until something changes. */
export function listResources({ snapshot }: Catalog, cursor: string | undefined): Page<Resource> {
  return cursor === undefined ? firstPageOf(snapshot) : resourcePage(snapshot, cursor);
}

const firstPageOf = perSnapshot((snapshot) => resourcePage(snapshot, undefined));

function resourcePage(snapshot: Snapshot, cursor: string | undefined): Page<Resource> {
  const { resources, skills } = snapshot;
  const all: readonly (StaticResource | Skill)[] = resources.length === 0 ? skills : [...resources, ...unlistedSkills(snapshot)];
  const page = paginate(all, cursor, PAGE, (each) => ('entry' in each ? each.entry.uri : skillUri(each)));
  return { ...page, items: page.items.map((each) => ('entry' in each ? each.entry : toResource(each))) };
}

/** Skills that no upstream lists as a resource. */
export const unlistedSkills = perSnapshot(({ listedSkills, skills }): readonly Skill[] =>
  listedSkills.size === 0 ? skills : skills.filter((skill) => !listedSkills.has(skill)),
);

/** A skill as `resources/list` shows it. */
export function toResource(skill: Skill): Resource {
  const { name, description, size } = skill;
  return { uri: skillUri(skill), name, description, mimeType: 'text/markdown', size };
}

export function listTemplates(catalog: Catalog, cursor: string | undefined): Page<ResourceTemplateType> {
  const page = paginate(templatesOf(catalog), cursor, PAGE, ({ entry }) => entry.uriTemplate);
  return { ...page, items: page.items.map(({ entry }) => entry) };
}

/** Answers `resources/read`: an upstream's resource as the upstream answered. `modern` hosts get a cache hint. */
export async function readResource(
  catalog: Catalog,
  params: Fields & { uri: string },
  context: ReadContext,
  modern: boolean,
): Promise<Fields> {
  const { uri } = params;
  const { contents, _meta, cacheHint, result } = await orProtocolError(uri, () => catalog.read(uri, context, params));
  return result ?? { contents, _meta, ...(modern && cacheHint !== undefined ? cacheHint : {}) };
}

/** Runs `action`; turns a `FootbridgeError` into a `ProtocolError`, and passes on an upstream's error unchanged. */
export async function orProtocolError<T>(uri: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof ServerError) throw new ProtocolError(error.code, error.message, error.data);
    throw error instanceof FootbridgeError ? toProtocolError(error, uri) : error;
  }
}

/** Unknown URIs become the SDK's own error. */
function toProtocolError(error: FootbridgeError, uri: string): ProtocolError {
  const text = [error.message, error.details, ...error.suggestedActions].filter((part) => part !== undefined).join(' ');
  if (error.code === 'NotFound' || error.code === 'InvalidURI') return new ResourceNotFoundError(redactInput(uri), text);
  return new ProtocolError(PROTOCOL_CODES[error.code], text, {
    error: error.code,
    message: error.message,
    details: error.details,
    suggested_actions: error.suggestedActions,
    retryable: error.retryable,
  });
}

const PROTOCOL_CODES = {
  MissingTemplateVariable: ProtocolErrorCode.InvalidParams,
  InvalidTemplateVariable: ProtocolErrorCode.InvalidParams,
  Unauthorized: ProtocolErrorCode.InvalidRequest,
  ResourceExecutionError: ProtocolErrorCode.InternalError,
} as const;

/** Values for a variable of a template; empty where the caller may not read it. */
export async function completeVariable(
  catalog: Catalog,
  uriTemplate: string,
  variable: string,
  value: string,
  context: ReadContext,
): Promise<CompleteResult> {
  const resource = templatesOf(catalog).find(
    ({ entry, template }) => entry.uriTemplate === uriTemplate && template.variables.some(({ name }) => name === variable),
  );
  const values =
    resource === undefined
      ? []
      : await orNothing(async () => {
          resource.authorize?.(uriTemplate, context.caller);
          return resource.complete(variable, value, context);
        });
  return { completion: { values: values.slice(0, COMPLETIONS), total: values.length, hasMore: values.length > COMPLETIONS } };
}

/** A failing completer must not show an error to a person who is typing. */
async function orNothing(find: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return (await find()).filter((value) => typeof value === 'string');
  } catch {
    return [];
  }
}
