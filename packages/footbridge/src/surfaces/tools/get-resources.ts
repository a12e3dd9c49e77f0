/** The tool `get_resources`: several resources in one call. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { expandTemplate, needsExpansion } from '../../catalog/expand.js';
import type { Reading } from '../../catalog/reads.js';
import { echo, FootbridgeError } from '../../errors.js';
import { InputRequired, type ReadContext } from '../../sources/resource.js';
import { validUris } from '../discovery.js';
import { errorStructure, errorText, isSeen, LARGEST_TWICE, lengthOf, toBlocks, toStructure } from './resource-result.js';
import { jsonSchema, type OwnTool, parseInput, READ_ONLY, WHOLE_RESULTS } from './tool.js';

const MOST = 50;
/** How many are read concurrently. */
const SIDE_BY_SIDE = 10;
/** Characters of all contents together; the rest has to be read alone. */
const LARGEST = 16 * 1024 * 1024;

const Input = z.strictObject({
  uris: z.array(z.string()).min(1).max(MOST),
});

export const getResourcesTool: OwnTool = {
  name: 'get_resources',
  describe: () => ({
    name: 'get_resources',
    title: 'Get Resources',
    description: `Read up to ${MOST} resources at once by their whole URIs; gives { results } in the order asked, each its own success or error.`,
    inputSchema: jsonSchema(Input),
    annotations: READ_ONLY,
    _meta: WHOLE_RESULTS,
  }),
  async call(input, catalog, context) {
    const parsed = parseInput(Input, input, `Call get_resources with { "uris": ["<uri>", …] }, ${MOST} at most.`);
    if (!parsed.ok) return parsed.result;
    return combine(
      catalog,
      await readAll(
        catalog,
        parsed.value.uris.map((uri) => uri.trim()),
        context,
      ),
    );
  },
};

type Outcome = { readonly uri: string; readonly reading: Reading } | { readonly uri: string; readonly error: FootbridgeError };

async function readAll(catalog: Catalog, uris: readonly string[], context: ReadContext): Promise<readonly Outcome[]> {
  const outcomes = new Array<Outcome>(uris.length);
  let next = 0;
  let length = 0;
  const worker = async () => {
    for (let index = next++; index < uris.length; index = next++) {
      const outcome = await readOne(catalog, uris[index] ?? '', context);
      const size = 'reading' in outcome ? lengthOf(outcome.reading.contents) : 0;
      outcomes[index] = length + size > LARGEST ? { uri: outcome.uri, error: tooMuch(outcome.uri) } : outcome;
      if (length + size <= LARGEST) length += size;
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, uris.length) }, worker));
  return outcomes;
}

async function readOne(catalog: Catalog, uri: string, context: ReadContext): Promise<Outcome> {
  try {
    // A template without values gets its own error here, too.
    const whole = needsExpansion(uri, {}) ? await expandTemplate(catalog, uri, {}, context) : uri;
    return { uri, reading: await catalog.read(whole, context) };
  } catch (error) {
    if (error instanceof FootbridgeError) return { uri, error };
    if (error instanceof InputRequired) return { uri, error: needsInput(uri) };
    throw error;
  }
}

function combine({ snapshot }: Catalog, outcomes: readonly Outcome[]): CallToolResult {
  const contents = outcomes.flatMap((outcome) => ('reading' in outcome ? outcome.reading.contents : []));
  // All valid URIs are listed once, with the first invalid one.
  const wrong = outcomes.find((outcome) => 'error' in outcome && outcome.error.code === 'InvalidURI');
  const validFor = (outcome: Outcome) => (outcome === wrong ? validUris(snapshot, outcome.uri) : []);
  const blocks = outcomes.flatMap((outcome): ContentBlock[] =>
    'reading' in outcome
      ? toBlocks(outcome.reading.contents, true)
      : [{ type: 'text', text: `URI: ${echo(outcome.uri)}\n${errorText(outcome.error, validFor(outcome))}` }],
  );
  const isError = outcomes.every((outcome) => 'error' in outcome);
  const result: CallToolResult = { content: blocks, ...(isError ? { isError } : {}) };
  if (isSeen(contents) || lengthOf(contents) > LARGEST_TWICE) return result;
  const results = outcomes.map((outcome) =>
    'reading' in outcome ? withMeta(outcome.reading) : { uri: echo(outcome.uri), ...errorStructure(outcome.error, validFor(outcome)) },
  );
  return { ...result, structuredContent: { results } };
}

/** The `_meta` of one result among several goes into its structure. */
function withMeta(reading: Reading) {
  return reading._meta === undefined ? toStructure(reading) : { ...toStructure(reading), result_meta: reading._meta };
}

function needsInput(uri: string): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `Resource '${echo(uri)}' needs input from the host before it can be read.`, {
    suggestedActions: ['Read it alone with get_resource.'],
  });
}

function tooMuch(uri: string): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `Resource '${echo(uri)}' does not fit into the answer.`, {
    details: `The contents of one answer are limited to ${LARGEST} characters.`,
    suggestedActions: ['Read it alone with get_resource.'],
  });
}
