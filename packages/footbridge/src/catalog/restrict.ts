/** A source as somebody sees it who may not see all of it: what is hidden is not there. */
import { SEGMENT } from '../pattern.js';
import type { ReadContext, TemplateResource } from '../sources/resource.js';
import type { Contribution, Source } from '../sources/source.js';
import type { Visibility } from './visibility.js';

/** Nothing that is hidden gets into a catalog of it, so no surface can list, read, complete or suggest it. */
export function restrict(source: Source, visibility: Visibility): Source {
  return {
    name: source.name,
    async open(changed, updated) {
      const first = await source.open(
        (next) => changed(visiblePart(next, visibility)),
        (uri) => {
          if (visibility.seesUri(uri)) updated(uri);
        },
      );
      return visiblePart(first, visibility);
    },
    refresh: (context) => source.refresh(context),
    close: () => source.close(),
  };
}

/** They stand for variables that have no value yet: with slashes in it, or without. */
const ANYTHING = 'anything-at-all';
const SOMETHING = 'something-or-other';

function visiblePart(whole: Contribution, visibility: Visibility): Contribution {
  const { skills, resources = [], templates = [], live, readUnlisted, settle } = whole;
  return {
    skills: skills.filter((skill) => visibility.seesSkill(skill)),
    resources: resources.filter(({ entry }) => visibility.seesUri(entry.uri)),
    templates: templates
      .filter(({ entry }) => visibility.seesSomeOf(entry.uriTemplate))
      .map((template) => visibleTemplate(template, visibility)),
    // They name what was found, seen or not.
    notices: [],
    ...(live === undefined ? {} : { live }),
    ...(readUnlisted === undefined
      ? {}
      : { readUnlisted: async (uri: string, context: ReadContext) => (visibility.seesUri(uri) ? readUnlisted(uri, context) : undefined) }),
    ...(settle === undefined ? {} : { settle }),
  };
}

function visibleTemplate(resource: TemplateResource, visibility: Visibility): TemplateResource {
  const { entry, template, category, requiresAdmin, timeoutMs, maxBytes, cacheHint } = resource;
  const others = Object.fromEntries(template.variables.map(({ name, spansSegments }) => [name, spansSegments ? ANYTHING : SOMETHING]));
  const leadsSomewhere = (variable: string) => (value: string) =>
    visibility.seesSomeOf(
      template
        .expand({ ...others, [variable]: value })
        .replaceAll(ANYTHING, '*')
        .replaceAll(SOMETHING, SEGMENT),
    );
  return {
    entry,
    template,
    category,
    requiresAdmin,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(cacheHint === undefined ? {} : { cacheHint }),
    ...(resource.authorize === undefined ? {} : { authorize: resource.authorize.bind(resource) }),
    examples: Object.fromEntries(Object.entries(resource.examples).map(([name, values]) => [name, values.filter(leadsSomewhere(name))])),
    read: async (uri, variables, context) => (visibility.seesUri(uri) ? resource.read(uri, variables, context) : undefined),
    complete: async (variable, value, context) => (await resource.complete(variable, value, context)).filter(leadsSomewhere(variable)),
  };
}
