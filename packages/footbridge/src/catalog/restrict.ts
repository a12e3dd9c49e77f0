/** A source as somebody sees it who may not see all of it: what is hidden is not there. */
import type { ReadContext, ResourceTraits, StaticResource, TemplateResource } from '../sources/resource.js';
import { type Contribution, isUpstreamTool, type Source } from '../sources/source.js';
import { Guards } from './guard.js';
import type { Visibility } from './visibility.js';

/** Nothing that is hidden gets into a catalog of it, so no surface can list, read, complete or suggest it. */
export function restrict(source: Source, visibility: Visibility): Source {
  const guards = new Guards(visibility);
  return {
    name: source.name,
    async open(changed, updated) {
      const first = await source.open(
        (next) => changed(visiblePart(next, visibility, guards)),
        (uri) => {
          if (visibility.seesUri(uri)) updated(uri);
        },
      );
      return visiblePart(first, visibility, guards);
    },
    refresh: (context) => source.refresh(context),
    close: () => source.close(),
  };
}

function visiblePart(whole: Contribution, visibility: Visibility, guards: Guards): Contribution {
  const { skills, resources = [], templates = [], tools, toolMeta, prompts, upstreams, live, readUnlisted, settle } = whole;
  if (upstreams !== undefined) guards.look(whole);
  return {
    skills: skills.filter((skill) => visibility.seesSkill(skill)),
    resources: resources.filter(({ entry }) => visibility.seesUri(entry.uri)).map((resource) => visibleResource(resource, guards)),
    templates: templates
      .filter(({ entry }) => visibility.seesSomeOf(entry.uriTemplate))
      .map((template) => visibleTemplate(template, visibility, guards)),
    // They name what was found, seen or not.
    notices: [],
    ...(tools === undefined
      ? {}
      : {
          tools: tools
            .filter(({ entry }) => visibility.seesTool(entry.name))
            .map((tool) => (isUpstreamTool(tool) ? { entry: tool.entry, ...guards.forwarded(tool) } : tool)),
        }),
    toolMeta,
    ...(prompts === undefined
      ? {}
      : {
          prompts: prompts
            .filter(({ entry }) => visibility.seesPrompt(entry.name))
            .map((prompt) => ({ entry: prompt.entry, ...guards.forwarded(prompt) })),
        }),
    ...(upstreams === undefined ? {} : { upstreams: upstreams.map((upstream) => guards.of(upstream)) }),
    live,
    ...(readUnlisted === undefined
      ? {}
      : { readUnlisted: async (uri: string, context: ReadContext) => (visibility.seesUri(uri) ? readUnlisted(uri, context) : undefined) }),
    settle,
  };
}

function visibleResource(resource: StaticResource, guards: Guards): StaticResource {
  if (resource.forwarded === undefined) return resource;
  return { ...traitsOf(resource, guards), entry: resource.entry, read: (uri, context) => resource.read(uri, context) };
}

function visibleTemplate(resource: TemplateResource, visibility: Visibility, guards: Guards): TemplateResource {
  const { entry, template } = resource;
  const leadsSomewhere = (variable: string) => (value: string) => visibility.seesSomeWith(template, variable, value);
  return {
    ...traitsOf(resource, guards),
    entry,
    template,
    examples: Object.fromEntries(Object.entries(resource.examples).map(([name, values]) => [name, values.filter(leadsSomewhere(name))])),
    read: async (uri, variables, context) => (visibility.seesUri(uri) ? resource.read(uri, variables, context) : undefined),
    complete: async (variable, value, context) => (await resource.complete(variable, value, context)).filter(leadsSomewhere(variable)),
  };
}

function traitsOf(resource: ResourceTraits, guards: Guards): ResourceTraits {
  const { forwarded, origin, category, requiresAdmin, timeoutMs, maxBytes, cacheHint } = resource;
  return {
    category,
    requiresAdmin,
    ...(forwarded === undefined ? {} : { forwarded: guards.forwarded(forwarded) }),
    origin,
    timeoutMs,
    maxBytes,
    cacheHint,
    ...(resource.authorize === undefined ? {} : { authorize: resource.authorize.bind(resource) }),
  };
}
