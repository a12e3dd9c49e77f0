/** The tool `get_resource`: any resource by URI, for hosts that cannot read resources. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { expandTemplate, needsExpansion } from '../../catalog/expand.js';
import type { Reading } from '../../catalog/reading.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import { echo, FootbridgeError } from '../../errors.js';
import { isFields } from '../../json.js';
import { setJsonText } from '../../json-text.js';
import type { ReadContext } from '../../sources/resource.js';
import { discoveredIn, resourceListingOf, validUris } from '../discovery.js';
import { type DiscoveryPage, discoveryPage, pageAmong } from '../discovery-page.js';
import { type HostProfile, sendsStructure } from '../hosts/profile.js';
import { CursorError } from '../paging.js';
import { roomFor } from '../parts/page.js';
import {
  continues,
  isPartField,
  isWhole,
  PART_FIELDS,
  PART_HINT,
  partOf,
  type TextCall,
  withBriefPartProperties,
  withoutParts,
  withPartProperties,
} from '../parts/part.js';
import { jsonBytes } from '../parts/size.js';
import { unavailableField, unavailableLines, unavailableOf } from '../unavailable.js';
import { errorStructure, errorText, partResult, successResult } from './resource-result.js';
import { jsonSchema, type OwnTool, parseInput, READ_ONLY, searchedPart, WHOLE_RESULTS, withoutNullValues, withParsed } from './tool.js';

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number(), z.boolean()]))]);

const Which = z.strictObject({
  uri: z.string().optional().describe('URI or template, as listed; leave out to list all'),
  variables: z.preprocess(withoutNullValues, z.record(z.string(), Value).optional()).describe('Values for a template'),
  query: z.string().optional().describe('Search words'),
  cursor: z.string().optional().describe('next_cursor of the page before'),
});
const Input = Which.extend(PART_FIELDS);

/** Without the types of values: their JSON Schema is long, and is part of every conversation. */
const INPUT_SCHEMA = withPartProperties(
  jsonSchema(Which.extend({ variables: z.looseObject({}).optional().describe('Values for a template') })),
);

const BRIEF_SCHEMA = withBriefPartProperties(jsonSchema(Which.extend({ variables: z.looseObject({}).optional() })));

/** What a model needs before its first call: the parameters, what each kind of call returns, and an example of each. */
const DESCRIPTION = `Read any resource by URI, like resources/read, for hosts that cannot.

Parameters: uri (none: discovery), query, variables, cursor (next page), offset and limit (part of a text).
Examples with results:
- Discovery: {} gives { success: true, uri: "", resource_name, data: { <category>: [{ uri, name, description, is_template, template_variables, requires_admin, category }] }, timestamp, mime_type }
- Static: { "uri": "docs://about" } gives { success: true, uri, resource_name, data, timestamp, mime_type }
- Template: { "uri": "docs://{page}", "variables": { "page": "about" } }, or its URI with the values, gives the same
- Error: { "uri": "none://x" } gives { success: false, error: "InvalidURI", message, details, suggested_actions, valid_uris }`;

const BRIEF =
  'Read any resource of this server by URI: {} lists all, { query } what matches, { uri } gives one, { uri, variables } one of a template. Long texts: offset and limit.';
/** Characters of the listing. */
const BRIEF_LISTING = 250;

const HINT =
  'Call get_resource with {} to list all resources, with { "query": "words" } to search, with { "uri": "<uri>" } to read one, or with { "uri": "<template>", "variables": { "<name>": "<value>" } }.';

export const getResourceTool: OwnTool = {
  name: 'get_resource',
  describe: (snapshot, { profile }) => ({
    name: 'get_resource',
    title: 'Get Resource',
    description: withListing(snapshot, profile),
    inputSchema: INPUT_SCHEMA,
    annotations: READ_ONLY,
    _meta: WHOLE_RESULTS,
  }),
  describeBriefly: (snapshot, view, listed, share) => {
    const listing = resourceListingOf(snapshot, share * BRIEF_LISTING);
    const description = listing === '' ? BRIEF : `${BRIEF}${BREAK}${listing}`;
    return { ...getResourceTool.describe(snapshot, view, listed), description, inputSchema: BRIEF_SCHEMA };
  },
  async call(input, catalog, context, { profile }) {
    const parsed = isPlain(input) ? ({ ok: true, value: input } as const) : parseInput(Input, await withParsed(input, 'variables'), HINT);
    if (!parsed.ok) return errorResult(wrongInput(parsed.problem, parsed.field), catalog, givenUri(input), profile);
    const given: z.infer<typeof Input> = parsed.value;
    const { uri = '', variables = {} } = given;
    const wanted = uri.trim();
    try {
      if (wanted === '') return await discover(catalog, given, context, profile);
      const whole = needsExpansion(wanted, variables) ? await expandTemplate(catalog, wanted, variables, context) : wanted;
      const call: TextCall = { tool: 'get_resource', which: { uri: whole }, input: given, catalog, context, profile };
      const reading = await (continues(call) ? catalog.continued : catalog).read(whole, context);
      const result = resultOf(reading, whole, call);
      return result instanceof Promise ? await result : result;
    } catch (error) {
      if (!(error instanceof FootbridgeError)) throw error;
      return errorResult(error, catalog, wanted, profile);
    }
  },
};

/** The usual input, a URI and nothing else, needs no schema. */
function isPlain(input: unknown): input is { uri: string } {
  return isFields(input) && typeof input['uri'] === 'string' && Object.keys(input).length === 1;
}

/** Nearly all texts are returned whole, and at once. */
function resultOf(reading: Reading, uri: string, call: TextCall): CallToolResult | Promise<CallToolResult> {
  const { profile } = call;
  const [only] = reading.contents;
  if (only === undefined || reading.contents.length > 1 || !('text' in only)) {
    if (continues(call)) throw withoutParts();
    return successResult(reading, profile);
  }
  const { text } = only;
  if (profile.result === Number.POSITIVE_INFINITY && isWhole(text, 0, call)) return successResult(reading, profile);
  const besides = sizeBesides(reading);
  return isWhole(text, besides, call) ? successResult(reading, profile) : inParts(text, reading, besides, uri, call);
}

async function inParts(text: string, reading: Reading, besides: number, uri: string, call: TextCall): Promise<CallToolResult> {
  const { catalog, context, profile } = call;
  const part = await partOf(text, reading, besides, call);
  if (part.fields.next !== undefined && !continues(call)) catalog.continued.hold(uri, reading, context);
  return partResult(reading, part, profile);
}

/** What the structured half has besides the text. */
function sizeBesides({ contents, mimeType = '', name, uri }: Reading): number {
  const [only] = contents;
  const meta = only?._meta === undefined ? 0 : jsonBytes(JSON.stringify(only._meta));
  return jsonBytes(uri) + jsonBytes(name) + jsonBytes(only?.mimeType ?? mimeType) + meta + FRAME;
}

/** More than the names of the fields and the time take. */
const FRAME = 140;

/** Everything, or with a query what matches it. */
type Discovery = Pick<z.infer<typeof Input>, 'cursor' | 'query'>;

/** Loaded by the first search. */
let loaded: typeof import('../../catalog/search/index.js') | undefined;

async function discover(catalog: Catalog, wanted: Discovery, context: ReadContext, profile: HostProfile): Promise<CallToolResult> {
  await catalog.introspect(context);
  try {
    const unavailable = unavailableOf(catalog.snapshot);
    const lines = unavailableLines(unavailable);
    const { block, data, dataJson, nextCursor } = await pageOf(catalog, wanted, roomFor(profile, ...lines, JSON.stringify(unavailable)));
    const content: CallToolResult['content'] = [lines.length === 0 ? block : { type: 'text', text: [block.text, ...lines].join('\n') }];
    if (!sendsStructure(profile)) return { content };
    const structuredContent = {
      success: true,
      uri: '',
      resource_name: 'Available Resources',
      data,
      timestamp: new Date().toISOString(),
      mime_type: 'application/json',
      next_cursor: nextCursor,
      ...unavailableField(unavailable),
    };
    if (dataJson !== undefined) setJsonText(structuredContent, 'data', dataJson);
    return { content, structuredContent };
  } catch (error) {
    throw error instanceof CursorError ? wrongInput(error.message, 'cursor') : error;
  }
}

async function pageOf(catalog: Catalog, { cursor, query: given }: Discovery, room: number): Promise<DiscoveryPage> {
  const query = searchedPart(given);
  if (query === '') return discoveryPage(catalog.snapshot, cursor, room);
  loaded ??= await import('../../catalog/search/index.js');
  const found = await loaded.searchAll(catalog, query);
  return pageAmong(catalog.snapshot, discoveredIn(found), cursor, room - jsonBytes(echo(query)), query);
}

/** Invalid arguments, as the nearest of the six errors. */
function wrongInput(problem: string, field: string): FootbridgeError {
  const code = field === 'variables' ? 'InvalidTemplateVariable' : 'InvalidURI';
  return new FootbridgeError(code, problem, { suggestedActions: [hintFor(field)] });
}

function hintFor(field: string): string {
  if (isPartField(field)) return PART_HINT;
  return field === 'cursor' ? 'Call get_resource again without a cursor.' : HINT;
}

/** What a call gave as its URI, however malformed the rest is. */
function givenUri(input: unknown): string {
  return isFields(input) && typeof input['uri'] === 'string' ? input['uri'] : '';
}

function errorResult(error: FootbridgeError, { snapshot }: Catalog, uri: string, profile: HostProfile): CallToolResult {
  const valid = error.code === 'InvalidURI' ? validUris(snapshot, uri, roomFor(profile, errorText(error, []))) : [];
  const structure = sendsStructure(profile) ? { structuredContent: errorStructure(error, valid) } : {};
  return { content: [{ type: 'text', text: errorText(error, valid) }], ...structure, isError: true };
}

/** With as much of the list of resources as the host is known to let through: all others are found by discovery. */
function withListing(snapshot: Snapshot, { isGuess, toolDescription }: HostProfile): string {
  const room = isGuess === true ? Number.POSITIVE_INFINITY : toolDescription - DESCRIPTION.length - BREAK.length;
  const listing = resourceListingOf(snapshot, room);
  return listing === '' ? DESCRIPTION : `${DESCRIPTION}${BREAK}${listing}`;
}

const BREAK = '\n\n';
