/** The tool `get_resources`: several resources in one call. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { expandTemplate, needsExpansion } from '../../catalog/expand.js';
import type { Reading } from '../../catalog/reading.js';
import { echo, FootbridgeError, SEE_RESOURCES } from '../../errors.js';
import { redactInput } from '../../redact.js';
import { adopt, Context } from '../../sources/context.js';
import { InputRequired, type ReadContext } from '../../sources/resource.js';
import { validUris } from '../discovery.js';
import { type HostProfile, sendsStructure } from '../hosts/profile.js';
import { roomFor } from '../parts/page.js';
import { fits, jsonBytes } from '../parts/size.js';
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

type Outcome = { readonly uri: string; readonly reading: Reading } | { readonly uri: string; readonly error: FootbridgeError };

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
  const { outcomes, room: roomForUris } = fitting(all, profile);
  const contents = outcomes.flatMap((outcome) => ('reading' in outcome ? outcome.reading.contents : []));
  // All valid URIs are listed once, with the first invalid one.
  const wrong = outcomes.find((outcome) => 'error' in outcome && outcome.error.code === 'InvalidURI');
  const validFor = (outcome: Outcome) => (outcome === wrong ? validUris(snapshot, outcome.uri, roomForUris) : []);
  const blocks = outcomes.flatMap((outcome): ContentBlock[] =>
    'reading' in outcome
      ? toBlocks(outcome.reading.contents, true)
      : [{ type: 'text', text: `URI: ${echo(outcome.uri)}\n${errorText(outcome.error, validFor(outcome))}` }],
  );
  const isError = outcomes.every((outcome) => 'error' in outcome);
  const result: CallToolResult = { content: blocks, ...(isError ? { isError } : {}) };
  if (!sendsStructure(profile) || isSeen(contents)) return result;
  let room = LARGEST_TWICE;
  const results = outcomes.map((outcome) => {
    if ('error' in outcome) return { uri: echo(outcome.uri), ...errorStructure(outcome.error, validFor(outcome)) };
    room -= lengthOf(outcome.reading.contents);
    return withMeta(outcome.reading, room >= 0 ? toStructure(outcome.reading) : toStructureWithoutData(outcome.reading));
  });
  return { ...result, structuredContent: { results: await Promise.all(results) } };
}

/** As many of the readings as the host lets through, in order; the others are to be read alone. `room` is what is left. */
function fitting(all: readonly Outcome[], profile: HostProfile): { readonly outcomes: readonly Outcome[]; readonly room: number } {
  let room = roomFor(profile);
  if (room === Number.POSITIVE_INFINITY) return { outcomes: all, room };
  const left = all.reduce((rest, outcome) => rest - sizeOfOutcome(outcome, rest), room);
  if (left >= 0) return { outcomes: all, room: left };
  const refused = all.map(({ uri }) => ({ uri, error: readAlone(uri) }));
  // Each may have to be refused.
  room -= refused.reduce((sum, { error }) => sum + sizeOfError(error), 0);
  const outcomes = all.map((outcome, index) => {
    const back = sizeOfError(refused[index]?.error ?? readAlone(outcome.uri));
    const size = sizeOfOutcome(outcome, room + back);
    if ('reading' in outcome && size > room + back) return refused[index] ?? outcome;
    room += back - size;
    return outcome;
  });
  return { outcomes, room };
}

/** More than the names of the fields of one entry. */
const FRAME = 160;

function sizeOfOutcome(outcome: Outcome, room: number): number {
  return 'error' in outcome ? sizeOfError(outcome.error) : sizeOfReading(outcome.reading, room);
}

function sizeOfError(error: FootbridgeError): number {
  return jsonBytes(errorText(error, [])) + FRAME;
}

/** Infinite when it is more than `room`. Images and audio are not text, and do not count. */
function sizeOfReading({ contents, name, uri }: Reading, room: number): number {
  let size = jsonBytes(uri) + jsonBytes(name) + FRAME;
  for (const each of contents) {
    if (isSeen([each])) continue;
    const text = 'text' in each ? each.text : each.blob;
    if (!fits(text, room - size)) return Number.POSITIVE_INFINITY;
    size += jsonBytes(text) + jsonBytes(each.uri) + FRAME;
  }
  return size;
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

function readAlone(uri: string): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', 'It does not fit into this answer.', {
    suggestedActions: [`Read it alone: get_resource(${redactInput(JSON.stringify({ uri }))})`],
  });
}

function tooMuch(uri: string): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `Resource '${echo(uri)}' does not fit into the answer.`, {
    details: `The contents of one answer are limited to ${LARGEST} characters.`,
    suggestedActions: ['Read it alone with get_resource.'],
  });
}
