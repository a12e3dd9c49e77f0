/** The catalog as the page shows it to one caller. */
import type { Catalog } from '../../../catalog/catalog.js';
import { callName } from '../../../catalog/snapshot.js';
import { findSkillFile } from '../../../catalog/target.js';
import type { Caller, StaticResource, TemplateResource } from '../../../sources/resource.js';
import { skillRoot, skillUri } from '../../../sources/skill-uri.js';
import { listTools, type ToolChoice } from '../../../surfaces/tools/index.js';
import { unavailableField, unavailableOf } from '../../../surfaces/unavailable.js';
import { VERSION } from '../../../version.js';
import type { PageData, PageFile, PageFiles, PageResource } from './shapes.js';

/** The limit on the files of a skill. */
const MAX_FILES = 512;

export interface PageDataOptions {
  /** Restricted to what this caller may see. */
  readonly catalog: Catalog;
  readonly caller: Caller;
  /** The URL of the MCP endpoint. */
  readonly endpoint: string;
  /** Whether hosts need a token. */
  readonly protected: boolean;
  readonly tools?: ToolChoice;
  readonly prompts?: boolean;
  /** The roles that see a URI or some URI of a template; undefined when no roles are configured. */
  readonly seenBy: (uri: string) => readonly string[] | undefined;
}

export function pageData(options: PageDataOptions): PageData {
  const { catalog, caller, endpoint, tools = {}, prompts = false, seenBy } = options;
  const { snapshot } = catalog;
  return {
    server: { name: 'Footbridge', version: VERSION, endpoint, protected: options.protected, prompts },
    caller: { name: caller.name, roles: caller.roles, admin: caller.admin },
    tools: listTools(snapshot, tools).map(({ name, title }) => ({ name, title })),
    skills: snapshot.skills.map((skill) => {
      const uri = skillUri(skill);
      const { conforms, description, group, location, name, origin, size } = skill;
      return {
        name,
        callName: callName(snapshot, skill),
        uri,
        description,
        category: group.length === 0 ? undefined : group.join('/'),
        origin,
        location,
        conforms,
        size,
        seenBy: seenBy(uri) ?? 'everybody',
      };
    }),
    resources: snapshot.resources.map((resource) => describe(resource.entry.uri, resource, options)),
    templates: snapshot.templates.map((resource) => ({
      ...describe(resource.entry.uriTemplate, resource, options),
      variables: resource.template.variables.map(({ name, required }) => ({
        name,
        required,
        examples: Object.hasOwn(resource.examples, name) ? (resource.examples[name] ?? []) : [],
      })),
    })),
    ...unavailableField(unavailableOf(snapshot)),
  };
}

function describe(uri: string, resource: StaticResource | TemplateResource, { catalog, seenBy }: PageDataOptions): PageResource {
  const { entry, category, requiresAdmin } = resource;
  return {
    uri,
    name: textOf(entry.name) ?? uri,
    title: textOf(entry.title),
    description: textOf(entry.description) ?? '',
    mimeType: textOf(entry.mimeType),
    category,
    origin: catalog.originOf(resource),
    requiresAdmin,
    seenBy: seenBy(uri) ?? (requiresAdmin ? 'admins' : 'everybody'),
  };
}

/** Entries of upstreams are not validated: a field may have any type. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The files of the skill that contains `uri`; undefined when no skill does. */
export async function skillFiles(catalog: Catalog, uri: string): Promise<PageFiles | undefined> {
  const found = findSkillFile(catalog.snapshot, uri);
  if (found === undefined) return undefined;
  const files: PageFile[] = [];
  const folders = [skillRoot(found.skill)];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const { path, uri, kind, size, mimeType } of (await catalog.list(folder)) ?? []) {
      if (files.length === MAX_FILES) return { files, more: true };
      if (kind === 'directory') folders.push(uri);
      files.push({ path, uri, kind, size, mimeType });
    }
  }
  return { files: files.sort((one, other) => (one.path < other.path ? -1 : 1)), more: false };
}
