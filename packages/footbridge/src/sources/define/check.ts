/** Checks definitions, so that mistakes are reported to their author and not to a model. */
import { isFields } from '../../json.js';
import { checkLimits } from '../../limits.js';
import type { AnyDefinition } from './definition.js';

const KEYS = new Set([
  ...['uri', 'name', 'title', 'description', 'category', 'requiresAdmin', 'mimeType', 'size', 'annotations', 'icons', '_meta'],
  ...['timeoutMs', 'maxBytes', 'cacheHint', 'variables', 'parameters', 'read'],
]);
const VARIABLE_KEYS = new Set(['schema', 'examples', 'complete', 'required']);
const HINT_KEYS = new Set(['ttlMs', 'cacheScope']);

/** Throws for an invalid definition. Unknown keys are refused: one may have been meant to restrict access. */
export function checkDefinition(definition: AnyDefinition): void {
  if (!isFields(definition)) throw new TypeError('A resource is an object with uri, name and read.');
  const { uri, name, read, variables = {}, parameters = {}, cacheHint = {} } = definition;
  if (typeof uri !== 'string') throw new TypeError('A resource needs a uri.');
  const about = `the resource '${uri}'`;
  if (typeof name !== 'string' || name === '') throw new TypeError(`${capital(about)} needs a name.`);
  if (typeof read !== 'function') throw new TypeError(`${capital(about)} needs a function read.`);
  refuseOthers(definition, KEYS, about);
  refuseOthers(cacheHint, HINT_KEYS, `the cacheHint of '${uri}'`);
  for (const [variable, spec] of Object.entries(variables)) {
    if (isFields(spec) && '~standard' in spec) throw new TypeError(`Write { schema: … } for the variable '${variable}' of '${uri}'.`);
    refuseOthers(spec ?? {}, VARIABLE_KEYS, `the variable '${variable}' of '${uri}'`);
  }
  const renamed = Object.values(parameters);
  if (new Set(renamed).size < renamed.length) throw new TypeError(`Two variables of '${uri}' map to the same parameter.`);
  checkLimits(definition);
}

function refuseOthers(given: object, known: ReadonlySet<string>, about: string): void {
  const unknown = Object.keys(given).filter((key) => !known.has(key));
  if (unknown.length > 0)
    throw new TypeError(`${capital(about)} has unknown keys: ${unknown.join(', ')}. Valid keys: ${[...known].join(', ')}.`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
