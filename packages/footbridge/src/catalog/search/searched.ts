/** What a search finds: skills, and the resources and templates beside them. */
import type { StaticResource, TemplateResource } from '../../sources/resource.js';
import type { Skill } from '../../sources/source.js';
import { numberOfText } from '../../split-map.js';
import { perSnapshot } from '../snapshot.js';

/** Characters of a URI that are searched. */
const LONGEST_URI = 1024;

/** A resource or a template, in the fields of a skill. Its texts are made when they are indexed: there may be very many. */
export class SearchedResource {
  constructor(readonly resource: StaticResource | TemplateResource) {}

  /** As it is listed. */
  get uri(): string {
    const { entry } = this.resource;
    return 'uriTemplate' in entry ? entry.uriTemplate : entry.uri;
  }

  /** For people. */
  get title(): string {
    const { name, title } = this.resource.entry;
    return textOf(title) || textOf(name);
  }

  /** As it is searched: a URI often says more than the name. */
  get name(): string {
    const { name, title } = this.resource.entry;
    return [textOf(title), textOf(name), this.uri.slice(0, LONGEST_URI)].join(' ');
  }

  get group(): readonly string[] {
    const { category, origin = '' } = this.resource;
    return [category, origin];
  }

  get description(): string {
    return textOf(this.resource.entry.description);
  }
}

export type Searched = Skill | SearchedResource;

export function isSearchedSkill(each: Searched): each is Skill {
  return !(each instanceof SearchedResource);
}

export function isSearchedResource(each: Searched): each is SearchedResource {
  return each instanceof SearchedResource;
}

/** For a `SplitMap`. */
export function numberOfSearched(each: Searched): number {
  return numberOfText(isSearchedSkill(each) ? each.name : each.uri);
}

/** The same for the same resource, so that a search follows what changed. */
const known = new WeakMap<StaticResource | TemplateResource, SearchedResource>();

function searchedResource(resource: StaticResource | TemplateResource): SearchedResource {
  const searched = known.get(resource) ?? new SearchedResource(resource);
  known.set(resource, searched);
  return searched;
}

/** Everything in a snapshot, skills first. */
export const searchedIn = perSnapshot(({ resources, skills, templates }): readonly Searched[] =>
  resources.length + templates.length === 0 ? skills : [...skills, ...resources.map(searchedResource), ...templates.map(searchedResource)],
);

/** Of the resources in a snapshot, by URI. */
export const searchedResourcesIn = perSnapshot(
  ({ resources, templates }): ReadonlyMap<string, SearchedResource> =>
    new Map([...templates, ...resources].map((resource) => [searchedResource(resource).uri, searchedResource(resource)])),
);

/** A server may list anything in place of a text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
