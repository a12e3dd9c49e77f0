/** What a search knows of a tool: its name, title and description, its parameters, and its server. */
import type { Tool } from '@modelcontextprotocol/server';
import { isFields } from '../../json.js';
import type { DocumentPart, Field } from './document.js';
import { stem } from './stemmer.js';
import { actionOfName } from './tool-actions.js';
import { topicsOf } from './tool-topics.js';
import { eachWord } from './words.js';

const FIELDS = {
  name: { weight: 5, usual: 3, dilution: 0.3 },
  action: { weight: 4, usual: 1, dilution: 0 },
  title: { weight: 3, usual: 3, dilution: 0.3 },
  summary: { weight: 5, usual: 12, dilution: 0.4 },
  description: { weight: 2, usual: 40, dilution: 0.5 },
  parameter: { weight: 1.5, usual: 6, dilution: 0.5 },
  about: { weight: 0.8, usual: 60, dilution: 0.5 },
  server: { weight: 4, usual: 1, dilution: 0.3 },
  topic: { weight: 2.5, usual: 5, dilution: 0.3 },
} as const satisfies Record<string, Field>;

/** Characters that are searched of a description, and of all descriptions of parameters. */
const LONGEST_DESCRIPTION = 2000;
const LONGEST_ABOUT = 1500;
const MAX_PARAMETERS = 100;

/** Of a tool as hosts see it, whose name may begin with that of its server. */
export function toolDocument({ description, inputSchema, name, title }: Tool, server: string): readonly DocumentPart[] {
  const { about, names } = parametersOf(inputSchema);
  const text = textIn(description).slice(0, LONGEST_DESCRIPTION);
  const end = firstSentence(text);
  const words = spaced(name.startsWith(`${server}__`) ? name.slice(server.length) : name);
  return [
    // A name may consist of words that are stop words elsewhere.
    { field: FIELDS.name, text: words, termOf: stem },
    { field: FIELDS.action, text: words, termOf: actionOfName },
    // `get_projects` lists them.
    { field: FIELDS.action, text: getsSeveral(words) ? 'list' : '', termOf: actionOfName },
    { field: FIELDS.title, text: textIn(title).slice(0, LONGEST_DESCRIPTION) },
    { field: FIELDS.summary, text: text.slice(0, end) },
    { field: FIELDS.description, text: text.slice(end) },
    { field: FIELDS.parameter, text: names },
    { field: FIELDS.about, text: about },
    { field: FIELDS.server, text: spaced(server) },
    { field: FIELDS.topic, text: topicsOfServer(server) },
  ];
}

/** A server may send anything in place of a text. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What a server with this name is about, where that is known. */
export function topicsOfServer(server: string): string {
  const words: string[] = [];
  eachWord(spaced(server), (word) => words.push(word));
  return topicsOf(words);
}

/** Whether a plural follows `get`, also in `getProjects`. */
function getsSeveral(words: string): boolean {
  const parts = words.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').split(/\s+/);
  const verb = parts.findIndex((part) => part.toLowerCase() === 'get');
  return verb !== -1 && parts.slice(verb + 1).some((part) => /s$/i.test(part));
}

/** Where the first sentence ends. */
function firstSentence(text: string): number {
  const end = text.search(/[.!?:]\s|\n/);
  return end === -1 ? text.length : end + 1;
}

/** `create_issue` and `API-post-search` are several words, not one. */
export function spaced(name: string): string {
  return name.replace(/[-_.:/]+/g, ' ');
}

/** Of the first level: what is nested rarely tells tools apart. */
function parametersOf(inputSchema: unknown): { readonly names: string; readonly about: string } {
  const properties = isFields(inputSchema) ? inputSchema['properties'] : undefined;
  const fields = Object.entries(isFields(properties) ? properties : {}).slice(0, MAX_PARAMETERS);
  let about = '';
  for (const [, field] of fields)
    if (isFields(field) && typeof field['description'] === 'string' && about.length < LONGEST_ABOUT)
      about += `${field['description'].slice(0, LONGEST_ABOUT - about.length)}\n`;
  return { names: fields.map(([name]) => spaced(name.slice(0, 100))).join(' '), about };
}
