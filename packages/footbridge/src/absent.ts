/** `null` for an optional argument: many clients send it for what they leave out. */
import { type Fields, isFields, ownField } from './json.js';

/**
 * `value` without the properties that are null and that its JSON Schema does not require, also in nested objects. Null stays
 * where the schema allows it by name, and where a property is required, so that it is reported.
 */
export function withoutNulls(value: unknown, schema: unknown): unknown {
  if (!isFields(schema) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return same(value, (item) => withoutNulls(item, schema['items']));
  const branches = [schema, ...BRANCHES.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []))].filter(isFields);
  return branches.reduce<unknown>((left, branch) => (isFields(left) ? withoutNullFields(left, branch) : left), value);
}

const BRANCHES = ['anyOf', 'oneOf', 'allOf'] as const;

function withoutNullFields(value: Fields, { properties, required, additionalProperties }: Fields): Fields {
  const known = isFields(properties) ? properties : {};
  const needed = Array.isArray(required) ? required : [];
  let changed = false;
  const kept = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const schema = ownField(known, name) ?? additionalProperties;
    if (field === null && !needed.includes(name) && isFields(schema) && !allowsNull(schema, Object.hasOwn(known, name))) {
      changed = true;
      return [];
    }
    const next = withoutNulls(field, schema);
    changed ||= next !== field;
    return [[name, next]];
  });
  return changed ? Object.fromEntries(kept) : value;
}

/** Whether a schema allows null by name. A schema without constraints does, for a property that is not declared. */
function allowsNull(schema: Fields, isNamed: boolean): boolean {
  const { type, enum: values } = schema;
  if (type === 'null' || schema['const'] === null || (Array.isArray(type) && type.includes('null'))) return true;
  if (Array.isArray(values) && values.includes(null)) return true;
  const branches = BRANCHES.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : [])).filter(isFields);
  if (branches.some((branch) => allowsNull(branch, true))) return true;
  return !isNamed && Object.keys(schema).length === 0;
}

/** The mapped list, or the same one if nothing changed. */
function same(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const next = items.map(change);
  return next.every((item, at) => item === items[at]) ? items : next;
}
