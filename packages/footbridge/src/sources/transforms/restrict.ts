/** Hides what a caller may not see. */
import type { ResourceTraits, StaticResource, TemplateResource } from '../resource.js';
import { hasContentOfOurOwn, type InternalContribution, isUpstreamTool, nameOfTool, type UpstreamTool } from '../source.js';
import { GuardedUpstreams } from './guarded-upstream.js';
import { mapSource, type Transform } from './index.js';
import type { Visibility } from './visibility.js';

/** Nothing hidden gets into the catalog, so no surface can list, read, complete or suggest it. */
export function restrictTo(visibility: Visibility): Transform {
  return (source) => {
    const guards = new GuardedUpstreams(visibility);
    return mapSource(
      source,
      (whole) => visiblePart(whole, visibility, guards),
      (uri) => visibility.seesUri(uri),
    );
  };
}

function visiblePart(whole: InternalContribution, visibility: Visibility, guards: GuardedUpstreams): InternalContribution {
  const {
    skills = [],
    unreadable,
    resources = [],
    templates = [],
    tools,
    toolMeta,
    prompts,
    upstreams,
    live,
    readUnlisted,
    settle,
  } = whole;
  if (upstreams !== undefined) guards.update(whole);
  return {
    skills: skills.filter((skill) => visibility.seesSkill(skill)),
    unreadable: unreadable?.filter((skill) => visibility.seesSkill(skill)),
    resources: resources.filter(({ entry }) => visibility.seesUri(entry.uri)).map((resource) => visibleResource(resource, guards)),
    templates: templates
      .filter(({ entry }) => visibility.seesSomeOf(entry.uriTemplate))
      .map((template) => visibleTemplate(template, visibility, guards)),
    // Notices name hidden things too.
    notices: [],
    tools: tools
      ?.filter((tool) => visibility.seesTool(nameOfTool(tool)))
      .map((tool) => (isUpstreamTool(tool) ? guardedTool(tool, guards) : tool)),
    toolMeta,
    prompts: prompts
      ?.filter(({ entry }) => visibility.seesPrompt(entry.name))
      .map((prompt) => ({ entry: prompt.entry, ...guards.forwarded(prompt) })),
    upstreams: upstreams?.map((upstream) => guards.of(upstream)),
    // Names do not depend on the caller: every role uses the same name for a tool.
    hasOwnContent: hasContentOfOurOwn(whole),
    live,
    readUnlisted: readUnlisted && (async (uri, context) => (visibility.seesUri(uri) ? readUnlisted(uri, context) : undefined)),
    settle,
  };
}

/** Its definition may have to be parsed first. */
function guardedTool(tool: UpstreamTool, guards: GuardedUpstreams): UpstreamTool {
  const { name, needsTask, shownWhen, toolSearch } = tool;
  return {
    name,
    get entry() {
      return tool.entry;
    },
    get definitionKey() {
      return tool.definitionKey;
    },
    needsTask,
    shownWhen,
    toolSearch,
    ...guards.forwarded(tool),
  };
}

function visibleResource(resource: StaticResource, guards: GuardedUpstreams): StaticResource {
  if (resource.forwarded === undefined) return resource;
  return { ...traitsOf(resource, guards), entry: resource.entry, read: (uri, context) => resource.read(uri, context) };
}

function visibleTemplate(resource: TemplateResource, visibility: Visibility, guards: GuardedUpstreams): TemplateResource {
  const { entry, template } = resource;
  const leadsToVisible = (variable: string) => (value: string) => visibility.seesSomeWith(template, variable, value);
  return {
    ...traitsOf(resource, guards),
    entry,
    template,
    examples: Object.fromEntries(Object.entries(resource.examples).map(([name, values]) => [name, values.filter(leadsToVisible(name))])),
    read: async (uri, variables, context) => (visibility.seesUri(uri) ? resource.read(uri, variables, context) : undefined),
    complete: async (variable, value, context) => (await resource.complete(variable, value, context)).filter(leadsToVisible(variable)),
  };
}

function traitsOf(resource: ResourceTraits, guards: GuardedUpstreams): ResourceTraits {
  const { forwarded, origin, category, requiresAdmin, timeoutMs, maxBytes, cacheHint } = resource;
  return {
    category,
    requiresAdmin,
    forwarded: forwarded && guards.forwarded(forwarded),
    origin,
    timeoutMs,
    maxBytes,
    cacheHint,
    authorize: resource.authorize?.bind(resource),
  };
}
