/** A template for the metadata of a package, and all that follows from its fields. */

/** A value as JSON has it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** `date` is a text such as 2025-03-14; `numbers` is an object of numbers, and `settings` one of single values. */
export type FieldType = 'string' | 'date' | 'integer' | 'number' | 'boolean' | 'strings' | 'numbers' | 'settings';

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly description: string;
  /** What the field has in the example of the template. */
  readonly example: Json;
  /** The only values there are. */
  readonly values?: readonly string[];
}

export interface Template {
  readonly name: string;
  readonly description: string;
  /** What somebody packages who should take it. */
  readonly suits: string;
  readonly fields: readonly Field[];
}

/** What is said of a type to people. */
const TYPE_NAMES: Readonly<Record<FieldType, string>> = {
  string: 'string',
  date: 'string (date, YYYY-MM-DD)',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  strings: 'array of strings',
  numbers: 'object of numbers',
  settings: 'object of strings, numbers and booleans',
};

/** Not one of them is valid, so that a field which was forgotten is found. */
const BLANKS: Readonly<Record<FieldType, Json>> = {
  string: '',
  date: '',
  integer: null,
  number: null,
  boolean: null,
  strings: [],
  numbers: {},
  settings: {},
};

/** Only keywords that drafts 7 and 2020-12 have alike: the workflows of Quilt take draft 7. */
const SCHEMAS: Readonly<Record<FieldType, { readonly [key: string]: Json }>> = {
  string: { type: 'string', minLength: 1 },
  // Validators may ignore a format.
  date: { type: 'string', format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  integer: { type: 'integer', minimum: 0 },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  strings: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
  numbers: { type: 'object', additionalProperties: { type: 'number' }, minProperties: 1 },
  settings: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] }, minProperties: 1 },
};

export function describedFields({ fields }: Template) {
  return fields.map(({ description, example, name, required, type, values }) => ({
    name,
    type: TYPE_NAMES[type],
    required,
    description,
    example,
    allowed_values: values,
  }));
}

/** All fields, empty. */
export function blankOf({ fields }: Template): { readonly [key: string]: Json } {
  return Object.fromEntries(fields.map(({ name, type }) => [name, BLANKS[type]]));
}

/** All fields, or only those that have to be there, filled in. */
export function exampleOf({ fields }: Template, which: 'all' | 'required'): { readonly [key: string]: Json } {
  return Object.fromEntries(fields.filter(({ required }) => required || which === 'all').map(({ example, name }) => [name, example]));
}

/** Fields of one's own are allowed beside those of the template. */
export function schemaOf({ description, fields, name }: Template): { readonly [key: string]: Json } {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Package metadata: ${name}`,
    description,
    type: 'object',
    required: fields.filter(({ required }) => required).map((field) => field.name),
    properties: Object.fromEntries(
      fields.map((field) => [
        field.name,
        {
          ...SCHEMAS[field.type],
          ...(field.values === undefined ? {} : { enum: field.values }),
          description: field.description,
          examples: [field.example],
        },
      ]),
    ),
    additionalProperties: true,
  };
}
