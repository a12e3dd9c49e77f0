/** Errors for URIs that are not found, with suggestions. */
import { echo, FootbridgeError, missingVariable, SEE_RESOURCES } from '../errors.js';
import { ownField } from '../json.js';
import type { ReadContext, TemplateResource } from '../sources/resource.js';
import { isSkillUri, nameKey, parseSkillUri, pathKey, qualifiedName, skillUri } from '../sources/skill-uri.js';
import { SKILL_FILE, type Skill, type UnreadableSkill } from '../sources/source.js';
import { nearest } from './near.js';
import type { NearResources } from './near-resources.js';
import type { NearSkills } from './near-skills.js';
import type { Snapshot } from './snapshot.js';

/** How many values of a variable are suggested. */
const SUGGESTED = 20;
/** How long finding them may take. */
const SUGGESTION_TIMEOUT_MS = 1000;

const SEE_SKILLS = 'Call list_skills to see the URI of every skill.';

/** Finds near matches. */
export interface NearMatches {
  readonly nearSkills: NearSkills;
  readonly nearResources: NearResources;
}

/** No resource, template or skill has this URI. */
export async function invalidUri(
  snapshot: Snapshot,
  uri: string,
  { nearResources, nearSkills }: NearMatches,
  details?: string,
): Promise<FootbridgeError> {
  const unreadable = isSkillUri(uri) ? unreadableAt(snapshot, parseSkillUri(uri) ?? []) : undefined;
  if (unreadable !== undefined) return unavailableSkill(unreadable);
  if (isSkillUri(uri) && (snapshot.skills.length > 0 || isEmpty(snapshot))) return invalidSkillUri(uri, nearSkills);
  const near = await nearResources(uri);
  return new FootbridgeError('InvalidURI', `Resource URI '${echo(uri)}' not recognized.`, {
    details: details ?? 'The URI must match one of the available resource patterns.',
    suggestedActions: [
      ...didYouMean(near),
      isEmpty(snapshot) ? 'Provide a non-empty skill://<name>/SKILL.md URI.' : 'Check the scheme and the path for typos.',
      isEmpty(snapshot) ? SEE_SKILLS : SEE_RESOURCES,
    ],
  });
}

/** The skill at this place, or at a folder around it, that exists but cannot be read. */
export function unreadableAt({ unreadable }: Snapshot, segments: readonly string[]): UnreadableSkill | undefined {
  const wanted = unreadable.length === 0 ? '' : `${pathKey(segments)}/`;
  return unreadable.find(({ group, name }) => wanted.startsWith(`${pathKey([...group, name])}/`));
}

/** The skill of this name that exists but cannot be read. */
export function findUnreadable({ unreadable }: Snapshot, name: string): UnreadableSkill | undefined {
  const key = nameKey(name);
  return unreadable.find((skill) => nameKey(qualifiedName(skill)) === key) ?? unreadable.find((skill) => nameKey(skill.name) === key);
}

export function unavailableSkill(skill: UnreadableSkill): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `The skill '${echo(qualifiedName(skill))}' is temporarily unavailable.`, {
    details: 'It exists, but could not be read when its folder was last scanned.',
    suggestedActions: [
      'Retry in a moment.',
      'If it fails again, ask the owner of the skill folder to check its permissions.',
      'Call list_skills to see the skills that can be read.',
    ],
    retryable: true,
  });
}

function isEmpty({ resources, templates, upstreams }: Snapshot): boolean {
  return resources.length + templates.length + upstreams.length === 0;
}

async function invalidSkillUri(uri: string, nearSkills: NearSkills): Promise<FootbridgeError> {
  const segments = parseSkillUri(uri);
  if (segments !== undefined) return noSuchSkill(uri, segments, nearSkills);
  return new FootbridgeError('InvalidURI', `'${echo(uri)}' is not the URI of a skill's file.`, {
    details: 'Each part between slashes must name one folder or file, percent-encoded where needed.',
    suggestedActions: ['Provide a non-empty skill://<name>/SKILL.md URI.', SEE_SKILLS],
  });
}

async function noSuchSkill(uri: string, segments: readonly string[], nearSkills: NearSkills): Promise<FootbridgeError> {
  const wanted = (segments.at(-1) === SKILL_FILE ? segments.slice(0, -1) : segments).join(':');
  const near = await nearSkills(wanted);
  return new FootbridgeError('NotFound', `No skill is served at '${echo(uri)}'.`, {
    suggestedActions: [...didYouMean(near.map((skill) => skillUri(skill))), SEE_SKILLS],
  });
}

/** The skill exists, the file does not. */
export async function noSuchFile(uri: string, skill: Skill, path: string): Promise<FootbridgeError> {
  const folders = new Set(['', path.slice(0, Math.max(0, path.lastIndexOf('/')))]);
  const lists = await Promise.all([...folders].map((folder) => skill.list(folder).catch(() => undefined)));
  const entries = lists.flatMap((list) => list ?? []);
  const near = nearest(
    path === '' ? SKILL_FILE : path,
    entries.filter((entry) => entry.kind === 'file').map((entry) => entry.path),
  );
  return new FootbridgeError('NotFound', `The skill '${skill.name}' has no file at '${echo(uri)}'.`, {
    suggestedActions: [
      ...didYouMean(near.map((file) => skillUri(skill, file))),
      `Read '${skillUri(skill)}', which names the files of the skill.`,
      SEE_SKILLS,
    ],
  });
}

/** The URI matches a resource or template that has no content: the source's own error, if it threw one, with suggestions. */
export async function notFound(
  uri: string,
  found: { readonly resource: TemplateResource; readonly variables: Readonly<Record<string, string>> } | undefined,
  context: ReadContext,
  reason?: FootbridgeError,
): Promise<FootbridgeError> {
  const suggestions =
    found === undefined ? [] : await Promise.all(Object.entries(found.variables).map((each) => suggest(found.resource, each, context)));
  return new FootbridgeError('NotFound', reason?.message ?? `Nothing found at '${echo(uri)}'.`, {
    details: reason?.details,
    suggestedActions: [...new Set([...suggestions.flat(), ...(reason?.suggestedActions ?? []), SEE_RESOURCES])],
    ...(reason === undefined ? {} : { retryable: reason.retryable, cause: reason }),
  });
}

async function suggest(resource: TemplateResource, [variable, value]: [string, string], context: ReadContext): Promise<string[]> {
  const values = await valuesOf(resource, variable, context);
  // A known value is not the mistake.
  if (values.includes(value)) return [];
  const near = nearest(value, values);
  if (near.length > 0) return [`Did you mean ${variable} ${near.map((each) => `'${each}'`).join(', ')}?`];
  return values.length === 0 ? [] : [`Valid values of ${variable}: ${values.slice(0, SUGGESTED).join(', ')}`];
}

/** The URI leaves out variables that its template needs. */
export async function incomplete(resource: TemplateResource, missing: readonly string[], context: ReadContext): Promise<FootbridgeError> {
  const values = await Promise.all(missing.map((variable) => valuesOf(resource, variable, context)));
  const [first = []] = values;
  const offered =
    missing.length === 1
      ? first
      : missing.flatMap((name, index) => (values[index] ?? []).slice(0, SUGGESTED).map((each) => `${name}=${each}`));
  const error = missingVariable(resource.template, missing, offered);
  const example = exampleUri(resource, missing, values);
  if (example === undefined) return error;
  return new FootbridgeError(error.code, error.message, {
    details: error.details,
    suggestedActions: [`Example: get_resource({ uri: "${example}" })`, ...error.suggestedActions],
  });
}

function exampleUri(
  { template, examples }: TemplateResource,
  missing: readonly string[],
  values: readonly (readonly string[])[],
): string | undefined {
  const chosen: Record<string, string> = Object.create(null);
  for (const { name, required } of template.variables) {
    const value = values[missing.indexOf(name)]?.[0] ?? ownField(examples, name)?.[0];
    if (value !== undefined) chosen[name] = value;
    else if (required) return undefined;
  }
  return template.expand(chosen);
}

/** Known values of a variable; empty where finding them fails or takes too long. */
async function valuesOf(resource: TemplateResource, variable: string, context: ReadContext): Promise<readonly string[]> {
  const completed = await Promise.race([
    // A completer may throw synchronously, or return anything.
    Promise.resolve()
      .then(() => resource.complete(variable, '', context))
      .catch((): readonly string[] => []),
    new Promise<readonly string[]>((resolve) => setTimeout(resolve, SUGGESTION_TIMEOUT_MS, []).unref()),
  ]);
  const values: unknown[] = [...(ownField(resource.examples, variable) ?? []), ...(Array.isArray(completed) ? completed : [])];
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

function didYouMean(near: readonly string[]): string[] {
  return near.length === 0 ? [] : [`Did you mean ${near.map((uri) => `'${uri}'`).join(', ')}?`];
}
