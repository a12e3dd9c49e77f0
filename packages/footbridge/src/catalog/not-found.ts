/** Why a URI gave nothing, and what to try instead. */
import { echo, FootbridgeError, SEE_RESOURCES } from '../errors.js';
import { ownField } from '../json.js';
import { missingVariable } from '../sources/missing-variable.js';
import type { ReadContext, TemplateResource } from '../sources/resource.js';
import { isSkillUri, nameKey, parseSkillUri, qualifiedName, skillUri } from '../sources/skill-uri.js';
import { SKILL_FILE, type Skill } from '../sources/source.js';
import { MOST_COMPARED, nearest } from './near.js';
import type { Snapshot } from './snapshot.js';

/** How many values of a variable are offered. */
const OFFERED = 20;
/** How long they may take to be found. */
const PATIENCE_MS = 1000;

const SEE_SKILLS = 'Call list_skills to see the URI of every skill.';

/** Nothing here has such a URI. */
export function invalidUri(snapshot: Snapshot, uri: string, details?: string): FootbridgeError {
  if (isSkillUri(uri) && (snapshot.skills.length > 0 || isEmpty(snapshot))) return invalidSkillUri(snapshot, uri);
  const near = nearest(uri, allUris(snapshot, uri));
  return new FootbridgeError('InvalidURI', `Resource URI '${echo(uri)}' not recognized.`, {
    details: details ?? 'The URI must match one of the available resource patterns.',
    suggestedActions: [
      ...didYouMean(near),
      isEmpty(snapshot) ? 'Provide a non-empty skill://<name>/SKILL.md URI.' : 'Check the scheme and the path for typos.',
      isEmpty(snapshot) ? SEE_SKILLS : SEE_RESOURCES,
    ],
  });
}

/** Every URI and template, those of the same scheme first, as many as are worth comparing. */
function allUris(snapshot: Snapshot, uri: string): readonly string[] {
  const scheme = uri.slice(0, uri.indexOf(':') + 1).toLowerCase();
  const all = [...snapshot.resources.map(({ entry }) => entry.uri), ...snapshot.templates.map(({ entry }) => entry.uriTemplate)];
  if (all.length <= MOST_COMPARED) return all;
  const alike = all.filter((each) => each.slice(0, scheme.length).toLowerCase() === scheme);
  return (alike.length > 0 ? alike : all).slice(0, MOST_COMPARED);
}

function isEmpty({ resources, templates, upstreams }: Snapshot): boolean {
  return resources.length + templates.length + upstreams.length === 0;
}

function invalidSkillUri(snapshot: Snapshot, uri: string): FootbridgeError {
  const segments = parseSkillUri(uri);
  if (segments !== undefined) return noSuchSkill(snapshot, uri, segments);
  return new FootbridgeError('InvalidURI', `'${echo(uri)}' is not the URI of a skill's file.`, {
    details: 'Each part between slashes must name one folder or file, percent-encoded where needed.',
    suggestedActions: ['Provide a non-empty skill://<name>/SKILL.md URI.', SEE_SKILLS],
  });
}

function noSuchSkill(snapshot: Snapshot, uri: string, segments: readonly string[]): FootbridgeError {
  const wanted = (segments.at(-1) === SKILL_FILE ? segments.slice(0, -1) : segments).join(':');
  const near = nearest(wanted, snapshot.skills.map(qualifiedName)).flatMap((name) => snapshot.byName.get(nameKey(name)) ?? []);
  return new FootbridgeError('NotFound', `No skill is served at '${echo(uri)}'.`, {
    suggestedActions: [...didYouMean(near.map((skill) => skillUri(skill))), SEE_SKILLS],
  });
}

/** The skill is there, the file is not. */
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

/** The URI is one of ours, and there is nothing at it now: what the source said of that, if it did, with what to try instead. */
export async function notFound(
  uri: string,
  found: { readonly resource: TemplateResource; readonly variables: Readonly<Record<string, string>> } | undefined,
  context: ReadContext,
  said?: FootbridgeError,
): Promise<FootbridgeError> {
  const offers =
    found === undefined ? [] : await Promise.all(Object.entries(found.variables).map((each) => offer(found.resource, each, context)));
  return new FootbridgeError('NotFound', said?.message ?? `There is nothing at '${echo(uri)}'.`, {
    details: said?.details,
    suggestedActions: [...new Set([...offers.flat(), ...(said?.suggestedActions ?? []), SEE_RESOURCES])],
    ...(said === undefined ? {} : { retryable: said.retryable, cause: said }),
  });
}

async function offer(resource: TemplateResource, [variable, value]: [string, string], context: ReadContext): Promise<string[]> {
  const values = await valuesOf(resource, variable, context);
  // What is known as a value was not the mistake.
  if (values.includes(value)) return [];
  const near = nearest(value, values);
  if (near.length > 0) return [`Did you mean ${variable} ${near.map((each) => `'${each}'`).join(', ')}?`];
  return values.length === 0 ? [] : [`Valid values of ${variable}: ${values.slice(0, OFFERED).join(', ')}`];
}

/** The URI leaves out variables that its template needs. */
export async function incomplete(resource: TemplateResource, missing: readonly string[], context: ReadContext): Promise<FootbridgeError> {
  const values = await Promise.all(missing.map((variable) => valuesOf(resource, variable, context)));
  const [first = []] = values;
  const offered =
    missing.length === 1
      ? first
      : missing.flatMap((name, index) => (values[index] ?? []).slice(0, OFFERED).map((each) => `${name}=${each}`));
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

/** Known values of a variable; none where finding them fails or takes too long. */
async function valuesOf(resource: TemplateResource, variable: string, context: ReadContext): Promise<readonly string[]> {
  const completed = await Promise.race([
    // A completer of others may throw at once, or give something else.
    Promise.resolve()
      .then(() => resource.complete(variable, '', context))
      .catch((): readonly string[] => []),
    new Promise<readonly string[]>((resolve) => setTimeout(resolve, PATIENCE_MS, []).unref()),
  ]);
  const values: unknown[] = [...(ownField(resource.examples, variable) ?? []), ...(Array.isArray(completed) ? completed : [])];
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

function didYouMean(near: readonly string[]): string[] {
  return near.length === 0 ? [] : [`Did you mean ${near.map((uri) => `'${uri}'`).join(', ')}?`];
}
