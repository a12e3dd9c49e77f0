/** A template for the metadata of a package, and what follows from its fields. */

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

interface FieldType {
  readonly name: string;
  /** Not valid, so that a forgotten field is detected. */
  readonly blank: Json;
  /** Uses only keywords that mean the same in drafts 7 and 2020-12: Quilt workflows use draft 7. */
  readonly schema: JsonObject;
}

export interface Field {
  readonly type: FieldType;
  readonly required: boolean;
  readonly description: string;
  readonly example: Json;
  readonly values: readonly string[] | undefined;
}

export interface Template {
  readonly name: string;
  readonly description: string;
  /** The kind of data that it is for. */
  readonly suits: string;
  readonly fields: Readonly<Record<string, Field>>;
}

/** Returns a function that declares a required field of this type. */
function fieldType<Example extends Json>(name: string, blank: Json, schema: JsonObject) {
  const type = { name, blank, schema };
  return (description: string, example: Example, values?: readonly string[]): Field => ({
    type,
    required: true,
    description,
    example,
    values,
  });
}

export const string = fieldType<string>('string', '', { type: 'string', minLength: 1 });
/** With a pattern, since validators may ignore `format`. */
export const date = fieldType<string>('string (date, YYYY-MM-DD)', '', {
  type: 'string',
  format: 'date',
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
});
export const integer = fieldType<number>('integer', null, { type: 'integer', minimum: 0 });
export const boolean = fieldType<boolean>('boolean', null, { type: 'boolean' });
export const strings = fieldType<string[]>('array of strings', [], { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 });
export const numbers = fieldType<Record<string, number>>(
  'object of numbers',
  {},
  {
    type: 'object',
    additionalProperties: { type: 'number' },
    minProperties: 1,
  },
);
export const settings = fieldType<Record<string, string | number | boolean>>(
  'object of strings, numbers and booleans',
  {},
  {
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean'] },
    minProperties: 1,
  },
);

export function optional(field: Field): Field {
  return { ...field, required: false };
}

export function fieldNames({ fields }: Template, which: 'required' | 'optional'): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.required === (which === 'required'));
}

export function fieldViews({ fields }: Template) {
  return Object.entries(fields).map(([name, { description, example, required, type, values }]) => ({
    name,
    type: type.name,
    required,
    description,
    example,
    allowed_values: values,
  }));
}

/** All fields, empty. */
export function blankMetadata({ fields }: Template): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, type.blank]));
}

export function exampleMetadata({ fields }: Template, which: 'all' | 'required'): JsonObject {
  const shown = Object.entries(fields).filter(([, { required }]) => required || which === 'all');
  return Object.fromEntries(shown.map(([name, { example }]) => [name, example]));
}

/** Allows additional fields. */
export function jsonSchema(template: Template): JsonObject {
  const properties = Object.entries(template.fields).map(([name, { description, example, type, values }]) => [
    name,
    { ...type.schema, ...(values && { enum: values }), description, examples: [example] },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Package metadata: ${template.name}`,
    description: template.description,
    type: 'object',
    required: fieldNames(template, 'required'),
    properties: Object.fromEntries(properties),
    additionalProperties: true,
  };
}
