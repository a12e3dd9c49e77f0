/** The surface `resources`: for hosts that list and read resources. */
import {
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import { parseSkillUri, SKILL_SCHEME, skillUri } from '../catalog/skill-uri.js';
import { FootbridgeError } from '../errors.js';
import type { Skill } from '../sources/source.js';
import { toContents } from './contents.js';
import { type Page, paginate } from './paging.js';

const PAGE = 1000;
/** The protocol's limit of one completion. */
const COMPLETIONS = 100;

export const SKILL_TEMPLATE: ResourceTemplateType = {
  uriTemplate: 'skill://{+path}',
  name: 'skill-file',
  title: 'A file of a skill',
  description: 'Any file of a skill: <name>/SKILL.md, or a supporting file that SKILL.md names.',
};

export function listResources(catalog: Catalog, cursor: string | undefined): Page<Resource> {
  const page = paginate(catalog.snapshot.skills, cursor, PAGE, (skill) => skillUri(skill));
  return { ...page, items: page.items.map(toResource) };
}

/** A skill as `resources/list` shows it. */
export function toResource(skill: Skill): Resource {
  return { uri: skillUri(skill), name: skill.name, description: skill.description, mimeType: 'text/markdown', size: skill.size };
}

export async function readResource(catalog: Catalog, uri: string): Promise<ReadResourceResult> {
  return { contents: [toContents(await orProtocolError(uri, () => catalog.read(uri)))] };
}

/** Runs something about `uri`; an error of ours leaves it as JSON-RPC carries it. */
export async function orProtocolError<T>(uri: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof FootbridgeError ? toProtocolError(error, uri) : error;
  }
}

/** What is not there is told apart by the SDK's own error. */
function toProtocolError(error: FootbridgeError, uri: string): ProtocolError {
  const text = [error.message, error.details, ...error.suggestedActions].filter((part) => part !== undefined).join(' ');
  if (error.code !== 'ResourceExecutionError') return new ResourceNotFoundError(uri, text);
  return new ProtocolError(ProtocolErrorCode.InternalError, text, {
    error: error.code,
    suggested_actions: error.suggestedActions,
    retryable: error.retryable,
  });
}

/** Values for the template's `path`: skills first, and within a skill its files. */
export async function completePath(catalog: Catalog, value: string): Promise<CompleteResult> {
  const typed = value.toLowerCase();
  const all = catalog.snapshot.skills.map((skill) => skillUri(skill).slice(SKILL_SCHEME.length));
  const starting = all.filter((path) => path.toLowerCase().startsWith(typed));
  const values = starting.length > 0 ? starting : await completeFile(catalog, value);
  return { completion: { values: values.slice(0, COMPLETIONS), total: values.length, hasMore: values.length > COMPLETIONS } };
}

async function completeFile(catalog: Catalog, value: string): Promise<string[]> {
  const folder = value.slice(0, value.lastIndexOf('/') + 1);
  if (parseSkillUri(SKILL_SCHEME + folder) === undefined) return [];
  const children = await catalog.list(SKILL_SCHEME + folder).catch(() => undefined);
  return (children ?? [])
    .map((child) => (child.kind === 'directory' ? `${child.uri}/` : child.uri).slice(SKILL_SCHEME.length))
    .filter((path) => path.toLowerCase().startsWith(value.toLowerCase()));
}
