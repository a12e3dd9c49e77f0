/** The tool `get_resources`: several resources in one call. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import type { Reading } from '../../catalog/reads.js';
import { echo, FootbridgeError } from '../../errors.js';
import type { ReadContext } from '../../sources/resource.js';
import { errorStructure, errorText, isSeen, LARGEST_TWICE, lengthOf, toBlock, toStructure } from './resource-result.js';
import { jsonSchema, type OwnTool, parseInput, READ_ONLY } from './tool.js';

const MOST = 50;
/** Read at the same time. */
const SIDE_BY_SIDE = 10;
/** Characters of all contents together; what goes beyond has to be read alone. */
const LARGEST = 16 * 1024 * 1024;

const Input = z.strictObject({
  uris: z.array(z.string()).min(1).max(MOST),
});

export const getResourcesTool: OwnTool = {
  name: 'get_resources',
  describe: () => ({
    name: 'get_resources',
    title: 'Get Resources',
    description: `Read up to ${MOST} resources at once; gives { results } in the order asked.`,
    inputSchema: jsonSchema(Input),
    annotations: READ_ONLY,
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
    return { uri, reading: await catalog.read(uri, context) };
  } catch (error) {
    if (error instanceof FootbridgeError) return { uri, error };
    throw error;
  }
}

function combine({ snapshot }: Catalog, outcomes: readonly Outcome[]): CallToolResult {
  const contents = outcomes.flatMap((outcome) => ('reading' in outcome ? outcome.reading.contents : []));
  const blocks = outcomes.flatMap((outcome): ContentBlock[] =>
    'reading' in outcome
      ? outcome.reading.contents.flatMap((each): ContentBlock[] => {
          const block = toBlock(each, false);
          // An embedded resource says itself where it is from.
          return block.type === 'resource' ? [block] : [{ type: 'text', text: `URI: ${each.uri}` }, block];
        })
      : [{ type: 'text', text: `URI: ${echo(outcome.uri)}\n${errorText(outcome.error, snapshot, outcome.uri)}` }],
  );
  const isError = outcomes.every((outcome) => 'error' in outcome);
  const result: CallToolResult = { content: blocks, ...(isError ? { isError } : {}) };
  if (isSeen(contents) || lengthOf(contents) > LARGEST_TWICE) return result;
  const results = outcomes.map((outcome) =>
    'reading' in outcome ? toStructure(outcome.reading) : { uri: outcome.uri, ...errorStructure(outcome.error, snapshot, outcome.uri) },
  );
  return { ...result, structuredContent: { results } };
}

function tooMuch(uri: string): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `Resource '${echo(uri)}' did not fit into the answer.`, {
    details: `The contents of one answer may have ${LARGEST} characters together.`,
    suggestedActions: ['Read it alone with get_resource.'],
  });
}
