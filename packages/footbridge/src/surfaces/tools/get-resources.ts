/** The tool `get_resources`: several resources in one call. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { expandTemplate, needsExpansion } from '../../catalog/expand.js';
import type { Reading } from '../../catalog/reading.js';
import { echo, FootbridgeError, SEE_RESOURCES } from '../../errors.js';
import { adopt, Context } from '../../sources/context.js';
import { InputRequired, type ReadContext } from '../../sources/resource.js';
import { validUris } from '../discovery.js';
import { type HostProfile, sendsStructure } from '../hosts/profile.js';
import { roomFor } from '../parts/page.js';
import { failureStructure, failureText, fitting, type Outcome, shortNote } from './outcomes.js';
import {
  errorStructure,
  errorText,
  isSeen,
  LARGEST_TWICE,
  lengthOf,
  toBlocks,
  toStructure,
  toStructureWithoutData,
} from './resource-result.js';
import { jsonSchema, type OwnTool, parseInput, READ_ONLY, WHOLE_RESULTS } from './tool.js';

const MOST = 50;
/** How many are read concurrently. */
const SIDE_BY_SIDE = 10;
/** Characters of all contents together; the rest has to be read alone. */
const LARGEST = 16 * 1024 * 1024;
/** Up to this size, contents need no reservation. */
const SMALL = 256 * 1024;

const Input = z.strictObject({
  uris: z.array(z.string()).min(1).max(MOST),
});

const HINT = `Call get_resources with { "uris": ["<uri>", …] }, ${MOST} at most.`;

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
  async call(input, catalog, context, { profile }) {
    const parsed = parseInput(Input, input, HINT);
    if (!parsed.ok) return invalidInput(parsed.problem, catalog, profile);
    const uris = parsed.value.uris.map((uri) => uri.trim());
    return combine(catalog, await readAll(catalog, uris, context), profile);
  },
};

/** The same error as of `get_resource`, for the whole call. */
function invalidInput(problem: string, { snapshot }: Catalog, profile: HostProfile): CallToolResult {
  const error = new FootbridgeError('InvalidURI', problem, { suggestedActions: [HINT, SEE_RESOURCES] });
  const valid = validUris(snapshot, '', roomFor(profile, errorText(error, [])));
  const structure = sendsStructure(profile) ? { structuredContent: errorStructure(error, valid) } : {};
  return { content: [{ type: 'text', text: errorText(error, valid) }], ...structure, isError: true };
}

/** Reads each URI once, and gives its content wherever it was asked for, as far as there is room. */
async function readAll(catalog: Catalog, uris: readonly string[], given: ReadContext): Promise<readonly Outcome[]> {
  const wanted = [...new Set(uris)];
  const outcomes = new Map<string, Outcome>();
  const { context, release } = adopt(given);
  let next = 0;
  /** Characters of what was read, and bytes of what is being read. */
  let taken = 0;
  /** Room for all contents, reserved at once: calls that each wait for more while they hold some would wait for each other. */
  let reserved: Promise<void> | undefined;
  const reserve = async () => context.admit?.(LARGEST);
  const worker = async () => {
    for (let uri = wanted[next++]; uri !== undefined; uri = wanted[next++]) {
      const asked = uri;
      let announced = 0;
      const admit = (bytes: number) => {
        if (taken + bytes > LARGEST) throw tooMuch(asked);
        announced += bytes;
        taken += bytes;
        if (taken > SMALL) reserved ??= reserve();
        return reserved;
      };
      const outcome = await readOne(catalog, asked, new Context({ ...partsOf(context), admit }, context.cancellation));
      taken -= announced;
      const size = sizeOf(outcome);
      outcomes.set(asked, taken + size > LARGEST ? { uri: asked, error: tooMuch(asked) } : outcome);
      if (taken + size <= LARGEST) taken += size;
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, wanted.length) }, worker));
  } finally {
    release();
  }
  let length = 0;
  return uris.map((uri) => {
    const outcome = outcomes.get(uri) ?? { uri, error: tooMuch(uri) };
    length += sizeOf(outcome);
    return length > LARGEST ? { uri, error: tooMuch(uri) } : outcome;
  });
}

function sizeOf(outcome: Outcome): number {
  return 'reading' in outcome ? lengthOf(outcome.reading.contents) : 0;
}

function partsOf({ caller, authInfo, route, alone, request }: Context) {
  return { caller, authInfo, route, alone, request };
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

async function combine({ snapshot }: Catalog, all: readonly Outcome[], profile: HostProfile): Promise<CallToolResult> {
  const { isShort, omitted, outcomes, room: roomForUris } = fitting(all, profile);
  const contents = outcomes.flatMap((outcome) => ('reading' in outcome ? outcome.reading.contents : []));
  // All valid URIs are listed once, with the first invalid one.
  const wrong = isShort ? undefined : outcomes.find((outcome) => 'error' in outcome && outcome.error.code === 'InvalidURI');
  const validFor = (outcome: Outcome) => (outcome === wrong ? validUris(snapshot, outcome.uri, roomForUris) : []);
  const blocks = outcomes.flatMap((outcome): ContentBlock[] =>
    'reading' in outcome
      ? toBlocks(outcome.reading.contents, true)
      : [{ type: 'text', text: failureText(outcome, isShort, validFor(outcome)) }],
  );
  const note = isShort ? shortNote(omitted) : undefined;
  if (note !== undefined) blocks.push({ type: 'text', text: note });
  const isError = outcomes.every((outcome) => 'error' in outcome);
  const result: CallToolResult = { content: blocks, ...(isError ? { isError } : {}) };
  if (!sendsStructure(profile) || isSeen(contents)) return result;
  let room = LARGEST_TWICE;
  const results = outcomes.map((outcome) => {
    if ('error' in outcome) return failureStructure(outcome, isShort, validFor(outcome));
    room -= lengthOf(outcome.reading.contents);
    return withMeta(outcome.reading, room >= 0 ? toStructure(outcome.reading) : toStructureWithoutData(outcome.reading));
  });
  return { ...result, structuredContent: { results: await Promise.all(results), ...(note === undefined ? {} : { note }) } };
}

/** The `_meta` of one result among several goes into its structure. */
async function withMeta({ _meta }: Reading, structure: ReturnType<typeof toStructure> | ReturnType<typeof toStructureWithoutData>) {
  return _meta === undefined ? structure : { ...(await structure), result_meta: _meta };
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
