/** The tool `get_prompt`: the prompts of upstreams, for hosts without prompts. */

import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { MAX_COMPARED, nearest } from '../../catalog/near.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import { echo, FootbridgeError } from '../../errors.js';
import { asText } from '../../json.js';
import { redact } from '../../redact.js';
import { inputOf } from '../../sources/forwarding.js';
import { ServerError } from '../../sources/server/channel.js';
import type { UpstreamPrompt } from '../../sources/source.js';
import { sendsStructure } from '../hosts/profile.js';
import type { HostView } from '../hosts/view.js';
import { argumentsOf, type PromptMetadata, promptDiscoveryOf, promptListingOf, withinBudget } from '../prompt-discovery.js';
import { unavailableField, unavailableLines, unavailableOf } from '../unavailable.js';
import { promptResult } from './prompt-result.js';
import {
  errorResult,
  failure,
  jsonSchema,
  type OwnTool,
  parseInput,
  READ_ONLY,
  WHOLE_RESULTS,
  withoutNullValues,
  withParsed,
} from './tool.js';

const Input = z.strictObject({
  name: z.string().optional().describe('Leave out to list all'),
  arguments: z.preprocess(withoutNullValues, z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional()),
});

/** Without the types of values: each is sent as text. */
const INPUT_SCHEMA = jsonSchema(Input.extend({ arguments: z.looseObject({}).optional().describe('Values by name') }));

const HINT =
  'Call get_prompt with {} to list all prompts, or with { "name": "<name>", "arguments": { "<argument>": "<text>" } } to get one.';

export const getPromptTool: OwnTool = {
  name: 'get_prompt',
  describe: (snapshot) => described(promptListingOf(snapshot)),
  describeBriefly: (snapshot, _view, _listed, share) => described(promptListingOf(snapshot, share * BRIEF_LISTING)),
  async call(input, { snapshot }, context, view) {
    const parsed = parseInput(Input, await withParsed(input, 'arguments'), HINT);
    if (!parsed.ok) return parsed.result;
    const { name = '', arguments: given = {} } = parsed.value;
    if (name.trim() === '') return discover(snapshot, view);
    const prompt = snapshot.findPrompt(name) ?? snapshot.findPrompt(name.trim());
    if (prompt === undefined) return failure(notFound(name, snapshot));
    const values = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, asText(value)]));
    const lacking = argumentsOf(prompt.entry).filter((each) => each.required && !Object.hasOwn(values, each.name));
    if (lacking.length > 0) return failure(incomplete(prompt, lacking));
    const { upstream, entry } = prompt;
    try {
      const wanted = { name: prompt.original(entry.name), arguments: values, ...inputOf(context) };
      const result = await upstream.forward('prompts/get', wanted, context);
      const { structuredContent, ...text } = promptResult(entry.name, result);
      return sendsStructure(view.profile) && structuredContent !== undefined ? { ...text, structuredContent } : text;
    } catch (error) {
      if (error instanceof ServerError) return failure(`Prompt '${echo(entry.name)}' is unavailable: ${redact(error.message)}`);
      if (error instanceof FootbridgeError) return errorResult(error);
      throw error;
    }
  },
};

function described(listing: string): Tool {
  return {
    name: 'get_prompt',
    title: 'Get Prompt',
    description: `Get a prompt: messages that a server has ready for a task. {} lists all; { name, arguments } gives one.\n\n${listing}`,
    inputSchema: INPUT_SCHEMA,
    annotations: READ_ONLY,
    _meta: WHOLE_RESULTS,
  };
}

/** Characters of the listing. */
const BRIEF_LISTING = 150;

function discover(snapshot: Snapshot, view: HostView): CallToolResult {
  const { prompts, left } = promptDiscoveryOf(snapshot, view);
  const unavailable = unavailableOf(snapshot);
  const total = prompts.length + left;
  const text = [
    total === 0
      ? 'There are no prompts.'
      : `${total === 1 ? '1 prompt' : `${total} prompts`}. Get one with get_prompt({ name, arguments }).`,
    ...prompts.map(promptText),
    ...(left === 0 ? [] : [`${left} more are not shown. ${MORE}`]),
    ...unavailableLines(unavailable),
  ].join('\n');
  if (!sendsStructure(view.profile)) return { content: [{ type: 'text', text }] };
  return {
    content: [{ type: 'text', text }],
    structuredContent: { prompts, ...(left === 0 ? {} : { not_shown: left, hint: MORE }), ...unavailableField(unavailable) },
  };
}

const MORE = 'Any of them is given by its name; a name that is not there is answered with the nearest ones.';

function promptText({ name, title, description, arguments: taken, origin }: PromptMetadata): string {
  const head = [name, ...(title === undefined || title === name ? [] : [title])].join(' - ');
  const about = description === undefined ? '' : `: ${onOneLine(description)}`;
  return [`- ${head}${about}${origin === undefined ? '' : ` (from ${origin})`}`, ...taken.map((each) => `  ${argumentText(each)}`)].join(
    '\n',
  );
}

function argumentText({ name, description, required }: PromptMetadata['arguments'][number]): string {
  return `${name} (${required ? 'required' : 'optional'})${description === undefined ? '' : `: ${onOneLine(description)}`}`;
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function incomplete({ entry }: UpstreamPrompt, lacking: PromptMetadata['arguments']): string {
  const missing = lacking.map(({ name }) => name);
  const example = { name: entry.name, arguments: Object.fromEntries(missing.map((name) => [name, '…'])) };
  return [
    `Prompt '${echo(entry.name)}' needs ${missing.length === 1 ? 'an argument that is' : 'arguments that are'} missing: ${missing.join(', ')}.`,
    '',
    'It takes:',
    ...argumentsOf(entry).map((each) => `- ${argumentText(each)}`),
    '',
    `Call get_prompt(${JSON.stringify(example)}).`,
  ].join('\n');
}

function notFound(name: string, { prompts }: Snapshot): string {
  const names = prompts.map(({ entry }) => entry.name);
  const near = nearest(name, names.slice(0, MAX_COMPARED));
  const first = new Set(near);
  const ordered = [...near, ...names.filter((each) => !first.has(each))];
  return [
    `Prompt '${echo(name)}' not found.`,
    ...(near.length === 0 ? [] : [`Did you mean ${near.map((each) => `'${each}'`).join(', ')}?`]),
    '',
    `Available prompts: ${names.length === 0 ? '(none)' : withinBudget(ordered, (left) => `and ${left} more`)}`,
    '',
    'Call get_prompt with the exact name, or without arguments to see what each prompt is for.',
  ].join('\n');
}
