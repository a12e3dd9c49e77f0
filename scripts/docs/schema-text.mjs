// The type in a JSON Schema, in words.
import { code } from './table.mjs';

/** Such as "array of strings, at least 1". */
export function typeText(schema, many = false) {
  const end = many ? 's' : '';
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(shortType).join(', or ');
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(shortType).join(', ')}]`;
  if (schema.type === 'array') return `array${end}${items(schema.items)}${bounds(schema.minItems, schema.maxItems)}`;
  if (schema.type === 'string') return many ? 'strings' : `string${lengths(schema)}`;
  if (schema.type === 'integer' || schema.type === 'number') return `${schema.type}${end}${range(schema)}`;
  if (schema.type === 'boolean') return `boolean${end}`;
  if (schema.type === 'object') return hasKeys(schema) ? `object${end}` : `object${end} of ${valueText(schema)}`;
  return 'any value';
}

/** As one of several alternatives, where the details would be ambiguous. */
function shortType(schema) {
  return schema.type === 'string' ? 'string' : typeText(schema);
}

function items(schema) {
  return schema.anyOf === undefined ? ` of ${typeText(schema, true)}` : `, each ${typeText(schema)}`;
}

function hasKeys({ properties = {} }) {
  return Object.keys(properties).length > 0;
}

function valueText({ additionalProperties }) {
  return typeof additionalProperties === 'object' && additionalProperties.type !== undefined
    ? `${typeText(additionalProperties, true)} by name`
    : 'values by name';
}

function lengths({ minLength = 0, maxLength }) {
  if (maxLength !== undefined) return `, ${minLength} to ${maxLength} characters`;
  return minLength > 0 ? ', not empty' : '';
}

function bounds(least = 0, most) {
  if (most !== undefined) return `, ${least} to ${most}`;
  return least > 0 ? `, at least ${least}` : '';
}

function range({ minimum, exclusiveMinimum, maximum }) {
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1);
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  return least === undefined ? '' : `, at least ${least}`;
}
