/** Validates the variables of a URI for a reader. */
import { echo, FootbridgeError, missingVariable, SEE_TEMPLATES } from '../../errors.js';
import { ownField } from '../../json.js';
import type { UriTemplate } from '../../uri-template.js';
import type { AnyDefinition, Variable } from './definition.js';

/** The reader's parameters; throws when a variable is missing or invalid. */
export async function toParameters(
  { variables = {}, parameters = {} }: Pick<AnyDefinition, 'variables' | 'parameters'>,
  template: UriTemplate,
  values: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  // Without a prototype: a variable may be named `constructor`.
  const checked: Record<string, unknown> = Object.create(null);
  for (const { name, spansSegments, required } of template.variables) {
    const spec = ownField(variables, name) ?? {};
    const parameter = ownField(parameters, name) ?? name;
    const value = ownField(values, name);
    if (value !== undefined && value !== '') checked[parameter] = await check(template, name, spec, value, spansSegments);
    else if (spec.required ?? required) throw missingVariable(template, [name], spec.examples ?? []);
    else checked[parameter] = value ?? (await defaultOf(spec));
  }
  return checked;
}

/** The schema's default; undefined if it has none. */
async function defaultOf({ schema }: Variable): Promise<unknown> {
  const result = await schema?.['~standard'].validate(undefined);
  return result === undefined || result.issues !== undefined ? undefined : result.value;
}

async function check(template: UriTemplate, name: string, spec: Variable, value: string, multiple: boolean): Promise<unknown> {
  if (spec.schema === undefined) {
    if (isPlain(value, multiple)) return value;
    const allowed = multiple
      ? 'allowed are ASCII letters, digits and - _ . ~, separated by /, and no part may be . or ..'
      : 'allowed are ASCII letters, digits and - _ . ~, but not . or ..';
    throw invalidVariable(template, name, value, allowed, spec.examples ?? []);
  }
  if (/^\{\s*\}$/.test(value)) throw invalidVariable(template, name, value, 'must not be empty', spec.examples ?? []);
  const result = await spec.schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  throw invalidVariable(template, name, value, result.issues.map((issue) => issue.message).join('; '), spec.examples ?? []);
}

/** Letters, digits and `-_.~`, but not `.` or `..`; separated by slashes where the operator allows them. */
function isPlain(value: string, multiple: boolean): boolean {
  const segments = multiple ? value.split('/') : [value];
  return segments.every((segment) => /^[A-Za-z0-9\-_.~]+$/.test(segment) && segment !== '.' && segment !== '..');
}

function invalidVariable(template: UriTemplate, name: string, value: string, reason: string, examples: readonly string[]): FootbridgeError {
  return new FootbridgeError('InvalidTemplateVariable', `'${echo(value)}' is not a valid ${name} for '${template.template}'.`, {
    details: `${name}: ${echo(reason)}`,
    suggestedActions: [
      `Give a valid value for ${name}${examples.length === 0 ? '' : `, such as ${examples.slice(0, SHOWN).join(', ')}`}.`,
      SEE_TEMPLATES,
    ],
  });
}

const SHOWN = 5;
