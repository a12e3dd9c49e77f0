/** The definition of a tool as `find_tools` returns it. */
import type { Tool } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import { type ContributedTool, isUpstreamTool } from '../../sources/source.js';
import { shorten } from '../text.js';

export interface FoundDefinition extends Pick<Tool, 'name' | 'title' | 'description' | 'annotations'> {
  /** Absent for a tool of a pack. */
  readonly server?: string;
  /** The tool to call it with. */
  readonly call_with: string;
  readonly inputSchema: Fields;
  readonly outputSchema?: Fields;
  /** What is missing, where the host does not take the whole. */
  readonly shortened?: string;
}

/** Levels of a schema whose descriptions are shortened. */
const DEEPEST = 16;
const SHORT_DESCRIPTION = 600;
const SHORT_FIELD = 80;

/** From the whole definition to the least that a model needs, each shorter than the one before. */
export function* definitionsOf(tool: ContributedTool, callWith: string): Generator<FoundDefinition> {
  const { annotations, description, inputSchema, name, outputSchema, title } = tool.entry;
  const head = {
    name,
    ...(isUpstreamTool(tool) ? { server: tool.upstream.name } : {}),
    call_with: callWith,
    ...(title === undefined ? {} : { title }),
  } as const;
  const rest = annotations === undefined ? {} : { annotations };
  const whole = { ...head, ...(description === undefined ? {} : { description }), inputSchema, ...rest };
  yield { ...whole, ...(outputSchema === undefined ? {} : { outputSchema }) };
  if (outputSchema !== undefined) yield { ...whole, shortened: 'outputSchema is left out.' };
  // A server may send anything in place of a schema.
  const schema: Fields = isFields(inputSchema) ? inputSchema : {};
  const short = { ...head, description: shorten(typeof description === 'string' ? description : '', SHORT_DESCRIPTION) };
  yield { ...short, inputSchema: withShortDescriptions(schema, 0), ...rest, shortened: 'Descriptions are shortened.' };
  const { properties, required } = schema;
  const names = Object.keys(isFields(properties) ? properties : {}).slice(0, 100);
  yield {
    ...short,
    inputSchema: { type: 'object', properties: Object.fromEntries(names.map((each) => [each, {}])), required },
    shortened: 'The schemas of the parameters are left out; a call with wrong ones is answered with what is wrong.',
  };
}

function withShortDescriptions(schema: Fields, depth: number): Fields {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === 'description' && typeof value === 'string') return [key, shorten(value, SHORT_FIELD)];
    if (depth > DEEPEST) return [key, value];
    if (Array.isArray(value)) return [key, value.map((each) => (isFields(each) ? withShortDescriptions(each, depth + 1) : each))];
    return [key, isFields(value) ? withShortDescriptions(value, depth + 1) : value];
  });
  return Object.fromEntries(entries);
}
