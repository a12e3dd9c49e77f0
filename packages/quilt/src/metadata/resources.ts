/** What is to be known about metadata, as resources that need neither a login nor a network. */
import { defineResource } from 'footbridge/pack';
import type { Resource } from '../guarded.js';
import { EXAMPLES } from './examples.js';
import { blankOf, describedFields, exampleOf, schemaOf } from './template.js';
import { TEMPLATES } from './templates/index.js';
import { TROUBLESHOOTING } from './troubleshooting.js';
import { SCHEMA_IN_WORKFLOWS, USAGE } from './usage.js';

const NAMES = TEMPLATES.map(({ name }) => name);

const OVERVIEW = {
  templates: TEMPLATES.map((template) => ({
    name: template.name,
    uri: `metadata://templates/${template.name}`,
    description: template.description,
    suits: template.suits,
    required_fields: template.fields.filter(({ required }) => required).map(({ name }) => name),
    optional_fields: template.fields.filter(({ required }) => !required).map(({ name }) => name),
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
      fields: describedFields(template),
      template: blankOf(template),
      example: exampleOf(template, 'all'),
      json_schema: schemaOf(template),
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
      'The templates for the metadata of a Quilt package (standard, genomics, ml, research, analytics), what each is for, its fields, and how to use one.',
    read: () => OVERVIEW,
  }),
  defineResource({
    uri: 'metadata://examples',
    name: 'metadata-examples',
    title: 'Metadata examples',
    description: 'Each metadata template filled in, in full and with the required fields only, and good practice with the reasons for it.',
    read: () => EXAMPLES,
  }),
  defineResource({
    uri: 'metadata://troubleshooting',
    name: 'metadata-troubleshooting',
    title: 'Metadata troubleshooting',
    description:
      'Common mistakes in the metadata of Quilt packages: how each shows, why it happens and how to put it right. Read it when a push is refused or a package is not found by its metadata.',
    read: () => TROUBLESHOOTING,
  }),
  defineResource({
    uri: 'metadata://templates/{template}',
    name: 'metadata-template',
    title: 'Metadata template',
    description:
      'One template: its fields with type, description and example, an object to fill in, and a JSON Schema to validate the result with.',
    variables: { template: { examples: NAMES, complete: NAMES } },
    read: ({ template }) => DETAILS.get(template),
  }),
];
