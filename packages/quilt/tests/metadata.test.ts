import { describe, expect, test } from 'vitest';
import * as z from 'zod/v4';
import { metadataResources } from '../src/metadata/resources.js';

const NAMES = ['standard', 'genomics', 'ml', 'research', 'analytics'];
const CONTEXT = { caller: { id: 'ann', name: 'Ann', roles: [], admin: false }, signal: new AbortController().signal };

const Metadata = z.record(z.string(), z.unknown());
const Overview = z.object({
  templates: z.array(
    z.object({
      name: z.string(),
      uri: z.string(),
      description: z.string().min(1),
      required_fields: z.array(z.string()).min(1),
      optional_fields: z.array(z.string()),
    }),
  ),
  usage: z.array(z.string()).min(1),
});
const Examples = z.object({
  examples: z.array(z.object({ template: z.string(), metadata: Metadata, minimal: Metadata })),
  good_practice: z.array(z.object({ practice: z.string().min(1), why: z.string().min(1) })).min(5),
});
const Troubleshooting = z.object({
  mistakes: z.array(z.object({ problem: z.string(), symptom: z.string().min(1), cause: z.string().min(1), cure: z.string().min(1) })),
});
const Details = z.object({
  name: z.string(),
  description: z.string().min(1),
  fields: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      required: z.boolean(),
      description: z.string().min(1),
      example: z.unknown(),
      allowed_values: z.array(z.unknown()).optional(),
    }),
  ),
  template: Metadata,
  json_schema: z.looseObject({ $schema: z.string(), required: z.array(z.string()), properties: Metadata }),
});

const Schema = z.custom<Parameters<typeof z.fromJSONSchema>[0]>((value) => typeof value === 'object');

function resource(uri: string) {
  const found = metadataResources.find((each) => each.uri === uri);
  if (found === undefined) throw new Error(`There is no ${uri}.`);
  return found;
}

const overview = async () => Overview.parse(await resource('metadata://templates').read({}, CONTEXT));
const examples = async () => Examples.parse(await resource('metadata://examples').read({}, CONTEXT));
const details = async (template: string) => Details.parse(await resource('metadata://templates/{template}').read({ template }, CONTEXT));
const validator = async (template: string) => z.fromJSONSchema(Schema.parse((await details(template)).json_schema));

describe('the metadata resources', () => {
  test('have names, titles and descriptions', () => {
    expect(metadataResources.map(({ uri }) => uri)).toEqual([
      'metadata://templates',
      'metadata://examples',
      'metadata://troubleshooting',
      'metadata://templates/{template}',
    ]);
    for (const { category, description, name, title } of metadataResources) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(title).toBeTruthy();
      expect(description).toBeTruthy();
      expect(category).toBeUndefined();
    }
  });

  test('are constant and survive JSON serialization', async () => {
    for (const { read, uri } of metadataResources) {
      const parameters = uri.includes('{') ? { template: 'ml' } : {};
      const first = await read(parameters, CONTEXT);
      expect(JSON.parse(JSON.stringify(first))).toEqual(first);
      expect(await read(parameters, CONTEXT)).toEqual(first);
    }
  });

  test('list the same five templates', async () => {
    const { templates } = await overview();
    expect(templates.map(({ name }) => name)).toEqual(NAMES);
    expect(templates.map(({ uri }) => uri)).toEqual(NAMES.map((name) => `metadata://templates/${name}`));
    expect((await examples()).examples.map(({ template }) => template)).toEqual(NAMES);
    const variable = resource('metadata://templates/{template}').variables?.['template'];
    expect(variable?.examples).toEqual(NAMES);
    expect(variable?.complete).toEqual(NAMES);
    for (const name of NAMES) expect((await details(name)).name).toBe(name);
  });

  test('describe at least ten distinct mistakes', async () => {
    const { mistakes } = Troubleshooting.parse(await resource('metadata://troubleshooting').read({}, CONTEXT));
    expect(mistakes.length).toBeGreaterThanOrEqual(10);
    expect(new Set(mistakes.map(({ problem }) => problem)).size).toBe(mistakes.length);
  });
});

describe('a template', () => {
  test('is looked up by its exact name', async () => {
    const { read } = resource('metadata://templates/{template}');
    for (const template of ['Standard', 'STANDARD', 'standard ', 'unknown', 'constructor', '']) {
      expect(await read({ template }, CONTEXT)).toBeUndefined();
    }
  });

  test.each(NAMES)('%s has the same fields in its list, its object, its schema and the overview', async (name) => {
    const { fields, json_schema: schema, template } = await details(name);
    const names = fields.map((field) => field.name);
    const required = fields.filter((field) => field.required).map((field) => field.name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(template)).toEqual(names);
    expect(Object.keys(schema.properties)).toEqual(names);
    expect(schema.required).toEqual(required);
    const listed = (await overview()).templates.find((each) => each.name === name);
    expect(listed?.required_fields).toEqual(required);
    expect([...(listed?.required_fields ?? []), ...(listed?.optional_fields ?? [])].sort()).toEqual([...names].sort());
  });

  test.each(NAMES)('%s has examples that its JSON Schema accepts', async (name) => {
    const schema = await validator(name);
    const example = (await examples()).examples.find(({ template }) => template === name);
    expect(schema.safeParse(example?.metadata)).toMatchObject({ success: true });
    expect(schema.safeParse(example?.minimal)).toMatchObject({ success: true });
    expect(schema.safeParse({ ...example?.metadata, additional_field: 1 })).toMatchObject({ success: true });
    for (const { allowed_values: allowed, example: value } of (await details(name)).fields) if (allowed) expect(allowed).toContain(value);
  });

  test.each(NAMES)('%s has a JSON Schema that rejects missing, empty and mistyped fields', async (name) => {
    const schema = await validator(name);
    const { fields, json_schema: written, template } = await details(name);
    const complete = Object.fromEntries(fields.map((field) => [field.name, field.example]));
    expect(written.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema.safeParse(template).success).toBe(false);
    for (const field of fields) {
      const { [field.name]: _, ...without } = complete;
      expect(schema.safeParse(without).success).toBe(!field.required);
      expect(schema.safeParse({ ...complete, [field.name]: template[field.name] }).success, field.name).toBe(false);
      expect(schema.safeParse({ ...complete, [field.name]: null }).success, field.name).toBe(false);
    }
  });
});
