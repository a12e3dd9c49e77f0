/** What a URI means in a snapshot. */
import type { StaticResource, TemplateResource } from '../sources/resource.js';
import { parseSkillUri, pathKey } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { withSchemeAndHost } from '../uri-template.js';
import type { Snapshot } from './snapshot.js';

export type Target =
  | { readonly kind: 'skill'; readonly skill: Skill; readonly path: string }
  | { readonly kind: 'static'; readonly resource: StaticResource }
  | { readonly kind: 'template'; readonly resource: TemplateResource; readonly variables: Readonly<Record<string, string>> };

/** Folders and name of a skill; longer paths are not looked up, however many segments a caller sends. */
const DEEPEST = 32;

/** What a URI means: a file of a skill first, then a listed URI, then the most specific template. */
export function findTarget(snapshot: Snapshot, uri: string): Target | undefined {
  const skillFile = findSkillFile(snapshot, uri);
  if (skillFile !== undefined) return { kind: 'skill', ...skillFile };
  const resource = snapshot.findResource(uri);
  if (resource !== undefined) return { kind: 'static', resource };
  const found = snapshot.templateIndex.find(uri);
  return found === undefined ? undefined : { kind: 'template', resource: found.value, variables: found.variables };
}

/** A URI as the resource or template that it means is listed: scheme and host are compared without regard to case. */
export function asListed(target: Target, uri: string): string {
  if (target.kind === 'skill') return uri;
  return target.kind === 'static' ? target.resource.entry.uri : withSchemeAndHost(uri, target.resource.entry.uriTemplate);
}

/** The same for a URI that may be unknown. */
export function listedUri(snapshot: Snapshot, uri: string): string {
  const target = findTarget(snapshot, uri);
  return target === undefined ? uri : asListed(target, uri);
}

/** The skill whose folder a URI lies in, and the path below it. */
export function findSkillFile({ byPath }: Pick<Snapshot, 'byPath'>, uri: string): { skill: Skill; path: string } | undefined {
  const segments = byPath.size === 0 ? [] : (parseSkillUri(uri) ?? []);
  for (let end = Math.min(segments.length, DEEPEST); end > 0; end--) {
    const skill = byPath.get(pathKey(segments.slice(0, end)));
    if (skill !== undefined) return { skill, path: segments.slice(end).join('/') };
  }
  return undefined;
}
