/** What one caller may see of the catalog, as the page shows it. */
import type { Catalog } from '../../../catalog/catalog.js';
import { callName } from '../../../catalog/snapshot.js';
import type { Caller, StaticResource, TemplateResource } from '../../../sources/resource.js';
import { skillUri } from '../../../sources/skill-uri.js';
import { listTools, type ToolChoice } from '../../../surfaces/tools/index.js';
import { unavailableField, unavailableOf } from '../../../surfaces/unavailable.js';
import { VERSION } from '../../../version.js';
import type { Audience, PageData, PageResource } from './shapes.js';

export interface PageDataOptions {
  /** Holds what this caller may see, and no more. */
  readonly catalog: Catalog;
  readonly caller: Caller;
  /** Where hosts connect. */
  readonly endpoint: string;
  /** Whether hosts need a token. */
  readonly protected: boolean;
  readonly tools?: ToolChoice;
  readonly prompts?: boolean;
  /** Names of the roles that see a URI, or something of a template; undefined where there are no roles. */
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
      return {
        name: skill.name,
        callName: callName(snapshot, skill),
        uri,
        description: skill.description,
        ...(skill.group.length === 0 ? {} : { category: skill.group.join('/') }),
        origin: skill.origin,
        location: skill.location,
        conforms: skill.conforms,
        size: skill.size,
        seenBy: seenBy(uri) ?? 'everybody',
      };
    }),
    resources: snapshot.resources.map((resource) => shown(resource.entry.uri, resource, options)),
    templates: snapshot.templates.map((resource) => ({
      ...shown(resource.entry.uriTemplate, resource, options),
      variables: resource.template.variables.map(({ name, required }) => ({
        name,
        required,
        examples: Object.hasOwn(resource.examples, name) ? (resource.examples[name] ?? []) : [],
      })),
    })),
    ...unavailableField(unavailableOf(snapshot)),
  };
}

function shown(uri: string, resource: StaticResource | TemplateResource, { catalog, seenBy }: PageDataOptions): PageResource {
  const { entry, category, requiresAdmin } = resource;
  const title = textOf(entry.title);
  const mimeType = textOf(entry.mimeType);
  const origin = catalog.originOf(resource);
  return {
    uri,
    name: textOf(entry.name) ?? uri,
    title,
    description: textOf(entry.description) ?? '',
    mimeType,
    category,
    origin,
    requiresAdmin,
    seenBy: audience(seenBy(uri), requiresAdmin),
  };
}

function audience(roles: readonly string[] | undefined, requiresAdmin: boolean): Audience {
  return roles ?? (requiresAdmin ? 'admins' : 'everybody');
}

/** As it was listed, by whoever: a field may be something else than its type says. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
