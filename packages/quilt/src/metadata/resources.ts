/** Static resources about metadata, without login or network. */
import { defineResource } from 'footbridge/pack';
import type { Resource } from '../failure.js';
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

const GOOD_PRACTICE: readonly { readonly practice: string; readonly why: string }[] = [
  {
    practice: 'Give every package at least title, description, owner, a date and a source.',
    why: 'Someone who finds the package in a year and cannot ask you needs them.',
  },
  {
    practice: 'Write keys in lower case with underscores, and the same key in every package.',
    why: 'Search and Athena treat sampleId, SampleID and sample_id as three different keys.',
  },
  {
    practice: 'Give a key the same type everywhere: a number stays a number, a list stays a list even with one entry.',
    why: 'A query over many packages fails or silently skips packages if one of them has another type.',
  },
  {
    practice: 'Use values from a short agreed list, and validate them with a workflow.',
    why: 'A search for "rna-seq" does not find "RNAseq".',
  },
  {
    practice: 'Put the unit into the key, as in read_length_bp or temperature_c, and only the number into the value.',
    why: '"150 bp" cannot be compared with a number.',
  },
  {
    practice: 'Write dates as YYYY-MM-DD, and times as 2025-03-14T09:30:00Z.',
    why: 'They sort as text, Athena can parse them, and day and month are unambiguous.',
  },
  {
    practice: 'Omit a field if its value is unknown.',
    why: 'Empty strings, null, "n/a" and 0 look like values, and each needs special handling.',
  },
  {
    practice: 'Reference other packages with their top hash: quilt+s3://BUCKET#package=NAME@HASH.',
    why: 'Without the hash it means the latest version, which changes.',
  },
  {
    practice: 'Put metadata of a single file on that file, and long tables into a file of the package.',
    why: 'Package metadata is loaded and indexed as a whole whenever the package is opened or searched.',
  },
  {
    practice: 'Do not include secrets, names of patients or signed URLs.',
    why: 'Metadata is in the manifest and the search index, and older versions of the package keep it even after a correction.',
  },
];

const EXAMPLES = {
  examples: TEMPLATES.map((template) => ({
    template: template.name,
    suits: template.suits,
    metadata: exampleMetadata(template, 'all'),
    minimal: exampleMetadata(template, 'required'),
  })),
  metadata_of_a_file: {
    description: 'A file can have its own metadata, in addition to that of the package.',
    code: 'pkg.set("counts.csv", "counts.csv", meta={"sample_count": 9, "normalised": False})',
  },
  good_practice: GOOD_PRACTICE,
} as const;
