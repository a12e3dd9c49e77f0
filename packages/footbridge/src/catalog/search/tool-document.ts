/** What a search knows of a tool: its name, title and description, its parameters, and its server. */
import type { Tool } from '@modelcontextprotocol/server';
import { isFields } from '../../json.js';
import type { Field } from './document.js';

const FIELDS = {
  name: { weight: 7, usual: 3, dilution: 0.3 },
  title: { weight: 3, usual: 3, dilution: 0.3 },
  description: { weight: 6, usual: 20, dilution: 0.4 },
  parameter: { weight: 1, usual: 6, dilution: 0.5 },
  about: { weight: 0.8, usual: 60, dilution: 0.5 },
  server: { weight: 4, usual: 1, dilution: 0.3 },
} as const satisfies Record<string, Field>;

/** Characters that are searched of a description, and of all descriptions of parameters. */
const LONGEST_DESCRIPTION = 2000;
const LONGEST_ABOUT = 4000;
const MOST_PARAMETERS = 100;

interface DocumentPart {
  readonly field: Field;
  readonly text: string;
  readonly exact?: boolean;
}

/** Of a tool as hosts see it, whose name may begin with that of its server. */
export function toolDocument({ description = '', inputSchema, name, title = '' }: Tool, server: string): readonly DocumentPart[] {
  const { about, names } = parametersOf(inputSchema);
  return [
    { field: FIELDS.name, text: spaced(name.startsWith(`${server}__`) ? name.slice(server.length) : name), exact: true },
    { field: FIELDS.title, text: title.slice(0, LONGEST_DESCRIPTION) },
    { field: FIELDS.description, text: description.slice(0, LONGEST_DESCRIPTION) },
    { field: FIELDS.parameter, text: names },
    { field: FIELDS.about, text: about },
    { field: FIELDS.server, text: spaced(server) },
  ];
}

/** `create_issue` and `API-post-search` are several words, not one. */
function spaced(name: string): string {
  return name.replace(/[-_.:/]+/g, ' ');
}

/** Of the first level: what is nested rarely tells tools apart. */
function parametersOf({ properties }: Tool['inputSchema']): { readonly names: string; readonly about: string } {
  const fields = Object.entries(isFields(properties) ? properties : {}).slice(0, MOST_PARAMETERS);
  let about = '';
  for (const [, field] of fields)
    if (isFields(field) && typeof field['description'] === 'string' && about.length < LONGEST_ABOUT)
      about += `${field['description'].slice(0, LONGEST_ABOUT - about.length)}\n`;
  return { names: fields.map(([name]) => spaced(name.slice(0, 100))).join(' '), about };
}
