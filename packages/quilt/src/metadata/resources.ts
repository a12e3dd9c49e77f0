/** Static resources about metadata, without login or network. */
import { defineResource } from 'footbridge/pack';
import type { Resource } from '../resource.js';
import { EXAMPLES } from './examples.js';
import { blankMetadata, exampleMetadata, fieldNames, fieldViews, jsonSchema } from './template.js';
import { TEMPLATES } from './templates.js';
import { TROUBLESHOOTING } from './troubleshooting.js';

const USAGE: readonly string[] = [
  'Choose a template: the first whose "suits" applies to your data, else standard.',
  'Read metadata://templates/{template}, such as metadata://templates/genomics, and take its "template" object.',
  'Fill in every required field. Remove optional fields without a value. Add fields of your own if you need them.',
  'Validate it against "json_schema", in Python: jsonschema.validate(metadata, json_schema).',
  'Attach it and push: pkg.set_meta(metadata), then pkg.push("team/name", registry="s3://BUCKET", message="What changed").',
  'If the push is rejected, read metadata://troubleshooting; metadata://examples has an example of each template.',
];

/** Quilt workflows use an older draft. */
const SCHEMA_IN_WORKFLOWS =
  'To have a bucket validate every push, save json_schema in S3 with "$schema" changed to "http://json-schema.org/draft-07/schema#", list it under "schemas" in s3://BUCKET/.quilt/workflows/config.yml, and reference it as the "metadata_schema" of a workflow. All its keywords have the same meaning there.';

const NAMES = TEMPLATES.map(({ name }) => name);

const OVERVIEW = {
  templates: TEMPLATES.map((template) => ({
    name: template.name,
    uri: `metadata://templates/${template.name}`,
    description: template.description,
    suits: template.suits,
    required_fields: fieldNames(template, 'required'),
    optional_fields: fieldNames(template, 'optional'),
  })),
  usage: USAGE,
};

const DETAILS = new Map(
  TEMPLATES.map((template) => [
    template.name,
    {
      name: template.name,
      description: template.description,
      suits: template.suits,
      fields: fieldViews(template),
      template: blankMetadata(template),
      example: exampleMetadata(template, 'all'),
      json_schema: jsonSchema(template),
      usage: USAGE,
      in_workflows: SCHEMA_IN_WORKFLOWS,
    },
  ]),
);

export const metadataResources: readonly Resource[] = [
  defineResource({
    uri: 'metadata://templates',
    name: 'metadata-templates',
    title: 'Metadata templates',
    description:
      'The templates for the metadata of a Quilt package (standard, genomics, ml, research, analytics): purpose, fields and usage.',
    read: () => OVERVIEW,
  }),
  defineResource({
    uri: 'metadata://examples',
    name: 'metadata-examples',
    title: 'Metadata examples',
    description: 'An example of each metadata template, complete and with required fields only, and good practice with reasons.',
    read: () => EXAMPLES,
  }),
  defineResource({
    uri: 'metadata://troubleshooting',
    name: 'metadata-troubleshooting',
    title: 'Metadata troubleshooting',
    description:
      'Common mistakes in the metadata of Quilt packages: symptom, cause and fix. Read it when a push is rejected or a package is not found by its metadata.',
    read: () => TROUBLESHOOTING,
  }),
  defineResource({
    uri: 'metadata://templates/{template}',
    name: 'metadata-template',
    title: 'Metadata template',
    description:
      'One template: its fields with type, description and example, an object to fill in, and a JSON Schema to validate the result.',
    variables: { template: { examples: NAMES, complete: NAMES } },
    read: ({ template }) => DETAILS.get(template),
  }),
];
