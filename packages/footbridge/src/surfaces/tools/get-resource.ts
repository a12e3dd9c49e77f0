/** The tool `get_resource`: any resource by URI, for hosts that cannot read resources. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { expandTemplate, needsExpansion } from '../../catalog/expand.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import { FootbridgeError } from '../../errors.js';
import { isFields, ownField } from '../../json.js';
import type { ReadContext } from '../../sources/resource.js';
import { discoveryOf, groupByCategory, type ResourceMetadata, resourceListingOf, validUris } from '../discovery.js';
import { CursorError, paginate } from '../paging.js';
import { unavailableField, unavailableLines, unavailableOf } from '../unavailable.js';
import { errorStructure, errorText, successResult } from './resource-result.js';
import { fromJson, jsonSchema, type OwnTool, parseInput, READ_ONLY, WHOLE_RESULTS } from './tool.js';

const PAGE = 200;

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number(), z.boolean()]))]);

const Input = z.strictObject({
  uri: z.string().optional().describe('Leave out to list all'),
  variables: z.preprocess(fromJson, z.record(z.string(), Value).optional()).describe('Values for a template'),
  cursor: z.string().optional().describe('next_cursor of the page before'),
});

/** Without the types of values: their JSON Schema is long, and is part of every conversation. */
const INPUT_SCHEMA = jsonSchema(Input.extend({ variables: z.looseObject({}).optional().describe('Values for a template') }));

const HINT =
  'Call get_resource with {} to list all resources, with { "uri": "<uri>" } to read one, or with { "uri": "<template>", "variables": { "<name>": "<value>" } }.';

export const getResourceTool: OwnTool = {
  name: 'get_resource',
  describe: (snapshot) => ({
    name: 'get_resource',
    title: 'Get Resource',
    description: description(resourceListingOf(snapshot)),
    inputSchema: INPUT_SCHEMA,
    annotations: READ_ONLY,
    _meta: WHOLE_RESULTS,
  }),
  async call(input, catalog, context) {
    const parsed = isPlain(input) ? ({ ok: true, value: input } as const) : parseInput(Input, input, HINT);
    if (!parsed.ok) return errorResult(wrongInput(parsed.problem, parsed.field), []);
    const { uri = '', variables = {}, cursor }: z.infer<typeof Input> = parsed.value;
    const wanted = uri.trim();
    try {
      if (wanted === '') return await discover(catalog, cursor, context);
      const whole = needsExpansion(wanted, variables) ? await expandTemplate(catalog, wanted, variables, context) : wanted;
      return successResult(await catalog.read(whole, context));
    } catch (error) {
      if (!(error instanceof FootbridgeError)) throw error;
      return errorResult(error, error.code === 'InvalidURI' ? validUris(catalog.snapshot, wanted) : []);
    }
  },
};

/** The usual input, a URI and nothing else, needs no schema. */
function isPlain(input: unknown): input is { uri: string } {
  return isFields(input) && typeof input['uri'] === 'string' && Object.keys(input).length === 1;
}

async function discover(catalog: Catalog, cursor: string | undefined, context: ReadContext): Promise<CallToolResult> {
  await catalog.introspect(context);
  try {
    const { text, data, nextCursor } = pageOf(catalog.snapshot, cursor);
    const unavailable = unavailableOf(catalog.snapshot);
    return {
      content: [{ type: 'text', text: [text, ...unavailableLines(unavailable)].join('\n') }],
      structuredContent: {
        success: true,
        uri: '',
        resource_name: 'Available Resources',
        data,
        timestamp: new Date().toISOString(),
        mime_type: 'application/json',
        next_cursor: nextCursor,
        ...unavailableField(unavailable),
      },
    };
  } catch (error) {
    if (error instanceof CursorError) return errorResult(wrongInput(error.message, 'cursor'), []);
    throw error;
  }
}

/** Invalid arguments, as the nearest of the six errors. */
function wrongInput(problem: string, field: string): FootbridgeError {
  const code = field === 'variables' ? 'InvalidTemplateVariable' : 'InvalidURI';
  return new FootbridgeError(code, problem, {
    suggestedActions: [field === 'cursor' ? 'Call get_resource again without a cursor.' : HINT],
  });
}

function errorResult(error: FootbridgeError, valid: readonly string[]): CallToolResult {
  return { content: [{ type: 'text', text: errorText(error, valid) }], structuredContent: errorStructure(error, valid), isError: true };
}

/** One page of discovery, as text and as structure. */
interface DiscoveryPage {
  readonly text: string;
  readonly data: Readonly<Record<string, readonly ResourceMetadata[]>>;
  readonly nextCursor: string | undefined;
}

const pages = new WeakMap<Snapshot, Map<string, DiscoveryPage>>();
/** Bounds the memory that invented cursors can use. */
const MOST_PAGES = 100;

/** A page of a snapshot, built once. */
function pageOf(snapshot: Snapshot, cursor: string | undefined): DiscoveryPage {
  const made = pages.get(snapshot) ?? new Map<string, DiscoveryPage>();
  pages.set(snapshot, made);
  const known = made.get(cursor ?? '');
  if (known !== undefined) return known;
  const all = discoveryOf(snapshot);
  const { items, nextCursor } = paginate(all, cursor, PAGE, ({ uri }) => uri);
  const groups = groupByCategory(items);
  const page: DiscoveryPage = { text: discoveryText(all.length, groups, nextCursor), data: Object.fromEntries(groups), nextCursor };
  if (made.size < MOST_PAGES) made.set(cursor ?? '', page);
  return page;
}

function discoveryText(total: number, groups: ReadonlyMap<string, readonly ResourceMetadata[]>, nextCursor: string | undefined): string {
  const sections = [...groups].map(([category, entries]) => [`\n## ${category}`, ...entries.map(entryText)].join('\n'));
  const none = total === 0 ? ['There are no resources.'] : [];
  const more = nextCursor === undefined ? [] : [`\nMore: get_resource with cursor "${nextCursor}".`];
  return [`${total === 1 ? '1 resource' : `${total} resources`}. Read one with get_resource({ uri }).`, ...sections, ...none, ...more].join(
    '\n',
  );
}

function entryText(entry: ResourceMetadata): string {
  const { uri, name, description, template_variables, optional_variables = [], examples = {}, requires_admin, mime_type, origin } = entry;
  const notes = [
    ...(mime_type === undefined ? [] : [mime_type]),
    ...template_variables.map((variable) => {
      const values = ownField(examples, variable) ?? [];
      const kind = optional_variables.includes(variable) ? 'optional' : 'needs';
      return values.length === 0 ? `${kind} ${variable}` : `${kind} ${variable}, such as ${values.slice(0, 3).join(', ')}`;
    }),
    ...(requires_admin ? ['needs admin rights'] : []),
    ...(origin === undefined ? [] : [`from ${origin}`]),
  ];
  const about = description === '' ? '' : `: ${description.replace(/\s+/g, ' ')}`;
  // Only Latin-1 characters: any other doubles the size of the whole answer in memory.
  return `- ${uri} - ${name}${about}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

function description(listing: string): string {
  const list = listing === '' ? '' : `\n\n${listing}`;
  return `Read any resource of this server by URI: what resources/read gives, for hosts without resources. {} lists all; { uri } reads one; { uri: "<template>", variables: { name: "value" } } fills in a template. Gives { success, uri, resource_name, data, mime_type }; an error says what to do next.${list}`;
}
