/** The tool `get_skill`: any file of a skill by URI, for hosts that cannot read resources. */
import * as z from 'zod/v4';
import { FootbridgeError } from '../../errors.js';
import { isSkillUri } from '../../sources/skill-uri.js';
import { errorResult, failure, jsonSchema, type OwnTool, parseInput, READ_ONLY, WHOLE_RESULTS } from './tool.js';

const Input = z.strictObject({
  uri: z.string().describe('URI of a skill or of one of its files, such as skill://pdf/SKILL.md'),
});

const Output = z.object({
  uri: z.string(),
  mimeType: z.string(),
  text: z.string().optional(),
  blob: z.string().optional().describe('In base64, when it is not text'),
});

const HINT = 'Provide a non-empty skill://… URI, such as skill://pdf/SKILL.md; list_skills shows the URI of every skill.';

export const getSkillTool: OwnTool = {
  name: 'get_skill',
  describe: () => ({
    name: 'get_skill',
    title: 'Get Skill File',
    description: 'Get a skill by URI: its whole SKILL.md, or any file that it names (skill://<name>/<path>). list_skills shows the URIs.',
    inputSchema: jsonSchema(Input),
    outputSchema: jsonSchema(Output),
    annotations: READ_ONLY,
    _meta: WHOLE_RESULTS,
  }),
  async call(input, catalog, context) {
    const parsed = parseInput(Input, input, HINT);
    if (!parsed.ok) return parsed.result;
    const uri = parsed.value.uri.trim();
    if (!isSkillUri(uri)) return failure(`${uri === '' ? 'The uri is empty.' : 'The uri does not start with skill://.'} ${HINT}`);
    try {
      const { contents } = await catalog.read(uri, context);
      return {
        content: contents.map((each) =>
          'text' in each ? { type: 'text', text: `URI: ${each.uri}\n\n${each.text}` } : { type: 'resource', resource: each },
        ),
        structuredContent: { ...contents[0] },
      };
    } catch (error) {
      if (error instanceof FootbridgeError) return errorResult(error);
      throw error;
    }
  },
};
