/** Expands a template with values for its variables. */
import { echo, FootbridgeError, SEE_RESOURCES, SEE_TEMPLATES } from '../errors.js';
import { ownField } from '../json.js';
import type { ReadContext, TemplateResource } from '../sources/resource.js';
import { isTemplate, LONGEST_URI, type TemplateValue } from '../uri-template.js';
import type { Catalog } from './catalog.js';
import { incomplete } from './not-found.js';
import { templatesOf } from './skill-template.js';

type Values = Readonly<Record<string, TemplateValue>>;

/** Whether there are values, or a template to fill in. */
export function needsExpansion(uri: string, values: Values): boolean {
  return Object.keys(values).length > 0 || isTemplate(uri) || EMPTY.test(uri);
}

/** A variable without a name: no URI has braces. */
const EMPTY = /\{\s{0,8}\}/;

/** The URI to read: the expanded template where `uri` is a served template, else `uri` itself. */
export async function expandTemplate(catalog: Catalog, uri: string, values: Values, context: ReadContext): Promise<string> {
  const given = Object.keys(values);
  let resource = findTemplate(catalog, uri);
  if (resource === undefined) {
    await catalog.introspect(context);
    resource = findTemplate(catalog, uri);
  }
  if (resource === undefined) {
    if (EMPTY.test(uri)) throwIfEmpty(catalog, uri, context);
    // Without values it may still be a URI: reading it reports what is wrong.
    if (given.length === 0) return uri;
    throw noTemplate(uri);
  }
  resource.authorize?.(uri, context.caller);
  const { template } = resource;
  const names = template.variables.map(({ name }) => name);
  const unknown = given.filter((name) => !names.includes(name));
  const missing = template.variables.filter(({ name, required }) => required && isNothing(ownField(values, name))).map(({ name }) => name);
  if (missing.length > 0) throw withUnknown(await incomplete(resource, missing, context), unknown);
  if (unknown.length > 0) throw unknownVariables(uri, unknown, names);
  // A list is joined with commas.
  const long = given.find((name) => String(ownField(values, name) ?? '').length > LONGEST_URI);
  if (long !== undefined) throw tooLong(uri, long);
  return template.expand(values);
}

function tooLong(uri: string, name: string): FootbridgeError {
  return new FootbridgeError('InvalidTemplateVariable', `The value of ${echo(name)} for template URI '${echo(uri)}' is too long.`, {
    details: `A value has at most ${LONGEST_URI} characters.`,
    suggestedActions: ['Give a shorter value.', SEE_TEMPLATES],
  });
}

function findTemplate(catalog: Catalog, uri: string): TemplateResource | undefined {
  return templatesOf(catalog).find(({ entry }) => entry.uriTemplate === uri);
}

function isNothing(value: TemplateValue | undefined): boolean {
  return value === undefined || value === '' || (typeof value === 'object' && value.length === 0);
}

function noTemplate(uri: string): FootbridgeError {
  return new FootbridgeError('InvalidURI', `Resource URI '${echo(uri)}' is not a served template.`, {
    details: 'With variables, the URI must be a template exactly as listed.',
    suggestedActions: ['Give the template as listed, or the whole URI without variables.', SEE_RESOURCES],
  });
}

/** Adds the variables that the template does not have to the error. */
function withUnknown(error: FootbridgeError, unknown: readonly string[]): FootbridgeError {
  if (unknown.length === 0) return error;
  const { code, message, suggestedActions } = error;
  return new FootbridgeError(code, message, {
    suggestedActions,
    details: `${error.details} Unknown variable(s): ${echo(unknown.join(', '))}`,
  });
}

/** Throws if another template matches with the braces as a value. */
function throwIfEmpty(catalog: Catalog, uri: string, context: ReadContext): void {
  const found = catalog.snapshot.templateIndex.find(uri);
  if (found === undefined || found.value.checksVariables === true) return;
  found.value.authorize?.(uri, context.caller);
  const names = Object.entries(found.variables).flatMap(([name, value]) => (EMPTY.test(value) ? [name] : []));
  if (names.length === 0) return;
  throw new FootbridgeError(
    'InvalidTemplateVariable',
    `Template URI '${found.value.entry.uriTemplate}' has no value for ${names.join(', ')}.`,
    {
      details: `'${echo(uri)}' has an empty variable. A value has ASCII letters, digits and - _ . ~, and anything else percent-encoded.`,
      suggestedActions: [`Replace {} with a value for ${names.join(', ')}.`, SEE_TEMPLATES],
    },
  );
}

function unknownVariables(uri: string, unknown: readonly string[], names: readonly string[]): FootbridgeError {
  return new FootbridgeError('InvalidTemplateVariable', `Template URI '${echo(uri)}' has no variable ${echo(unknown.join(', '))}.`, {
    details: `Its variables are: ${names.join(', ')}.`,
    suggestedActions: [`Give values for ${names.join(', ')} only.`, SEE_TEMPLATES],
  });
}
