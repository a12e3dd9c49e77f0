/** The tool `get_skill`: any file of a skill by URI, for hosts that cannot read resources. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Snapshot } from '../../catalog/snapshot.js';
import { FootbridgeError } from '../../errors.js';
import { isSkillUri, skillUri } from '../../sources/skill-uri.js';
import { type HostProfile, sendsStructure } from '../hosts/profile.js';
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
import { errorResult, failure, jsonSchema, type OwnTool, parseInput, READ_ONLY, WHOLE_RESULTS } from './tool.js';

const Which = z.strictObject({
  uri: z.string().describe('URI of a skill or of one of its files: skill://<name>/SKILL.md'),
});
const Input = Which.extend(PART_FIELDS);
const INPUT_SCHEMA = withPartProperties(jsonSchema(Which));
const BRIEF_SCHEMA = withBriefPartProperties(jsonSchema(Which));

const Output = z.object({
  uri: z.string(),
  mimeType: z.string(),
  text: z.string().optional(),
  blob: z.string().optional().describe('In base64, when it is not text'),
});

/** Those of a part are not described: an absent field needs no schema, and each is part of every conversation. */
const OUTPUT_SCHEMA = jsonSchema(Output);

/** With the URI of a skill that is served, if there is one. */
function hint({ skills: [first] }: Snapshot): string {
  const example = first === undefined ? '' : `, such as ${skillUri(first)}`;
  return `Provide a non-empty skill://<name>/SKILL.md URI${example}; list_skills shows the URI of every skill.`;
}

export const getSkillTool: OwnTool = {
  name: 'get_skill',
  describe: (_snapshot, { profile }, listed) => ({
    name: 'get_skill',
    title: 'Get Skill File',
    description: `Get a skill by URI: its whole SKILL.md, or any file that it names (skill://<name>/<path>).${listed.has('list_skills') ? ' list_skills shows the URIs.' : ''}`,
    inputSchema: INPUT_SCHEMA,
    ...(sendsStructure(profile) ? { outputSchema: OUTPUT_SCHEMA } : {}),
    annotations: READ_ONLY,
    _meta: WHOLE_RESULTS,
  }),
  describeBriefly: (snapshot, view, listed) => {
    const { outputSchema: _, ...tool } = getSkillTool.describe(snapshot, view, listed);
    return { ...tool, inputSchema: BRIEF_SCHEMA };
  },
  async call(input, catalog, context, { profile }) {
    const parsed = parseInput(Input, input, (field) => (isPartField(field) ? PART_HINT : hint(catalog.snapshot)));
    if (!parsed.ok) return parsed.result;
    const { uri: given, ...part } = parsed.value;
    const uri = given.trim();
    if (!isSkillUri(uri))
      return failure(`${uri === '' ? 'The uri is empty.' : 'The uri does not start with skill://.'} ${hint(catalog.snapshot)}`);
    try {
      return await getFile(uri, { tool: 'get_skill', which: { uri }, input: part, catalog, context, profile });
    } catch (error) {
      if (error instanceof FootbridgeError) return errorResult(error);
      throw error;
    }
  },
};

async function getFile(uri: string, call: TextCall): Promise<CallToolResult> {
  const { catalog, context, profile } = call;
  const reading = await (continues(call) ? catalog.continued : catalog).read(uri, context);
  const [file] = reading.contents;
  if (file === undefined || !('text' in file)) {
    if (continues(call)) throw withoutParts();
    return result(
      reading.contents.map((each) => ({ type: 'resource', resource: each })),
      { ...file },
      profile,
    );
  }
  const { text } = file;
  const head = `URI: ${file.uri}\n\n`;
  const besides = jsonBytes(head) + jsonBytes(file.mimeType ?? '') + FRAME;
  if (isWhole(text, besides, call)) return result([{ type: 'text', text: head + text }], { ...file }, profile);
  const part = await partOf(text, reading, besides, call);
  if (part.fields.next !== undefined && !continues(call)) catalog.continued.hold(uri, reading, context);
  const shown = `${part.line}${part.fields.offset === 0 ? head : ''}${part.text}`;
  return result([{ type: 'text', text: shown }], { ...file, text: part.text, ...part.fields }, profile);
}

/** More than the names of the fields take. */
const FRAME = 60;

function result(content: ContentBlock[], structuredContent: Record<string, unknown>, profile: HostProfile): CallToolResult {
  return sendsStructure(profile) ? { content, structuredContent } : { content };
}
