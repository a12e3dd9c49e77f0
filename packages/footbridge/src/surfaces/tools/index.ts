/** The surface `tools`: for hosts that call tools and nothing else. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import { echo } from '../../errors.js';
import type { ReadContext } from '../../sources/resource.js';
import { getResourceTool } from './get-resource.js';
import { getResourcesTool } from './get-resources.js';
import { getSkillTool } from './get-skill.js';
import { listSkillsTool } from './list-skills.js';
import { skillTool } from './skill.js';
import type { OwnTool } from './tool.js';

const SKILL_TOOLS: readonly OwnTool[] = [skillTool, listSkillsTool, getSkillTool];
const RESOURCE_TOOLS: readonly OwnTool[] = [getResourceTool, getResourcesTool];
const TOOLS: readonly OwnTool[] = [...SKILL_TOOLS, ...RESOURCE_TOOLS];

/** Which of our tools to show; each unless it is set to false. */
export type ToolChoice = Readonly<Partial<Record<string, boolean>>>;

export const TOOL_NAMES: readonly string[] = TOOLS.map(({ name }) => name);

/** Throws when a choice names a tool that we do not have. */
export function checkChoice(choice: ToolChoice): void {
  const unknown = Object.keys(choice).filter((name) => !TOOL_NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`Footbridge has no tool ${unknown.join(', ')}. It has: ${TOOL_NAMES.join(', ')}.`);
}

/** As `tools/list` has them. Those for skills are left out where there are only other resources. */
export function listTools(snapshot: Snapshot, choice: ToolChoice = {}): Tool[] {
  return chosen(snapshot, choice).map((tool) => tool.describe(snapshot));
}

/** Throws for a name that is none; whatever else goes wrong is in the result. */
export function callTool(
  catalog: Catalog,
  name: string,
  input: unknown,
  context: ReadContext,
  choice: ToolChoice = {},
): Promise<CallToolResult> {
  const tool = TOOLS.find((each) => each.name === name && choice[name] !== false);
  if (tool === undefined) {
    const names = chosen(catalog.snapshot, choice).map((each) => each.name);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool '${echo(name)}'. There are: ${names.join(', ')}.`);
  }
  return tool.call(input, catalog, context);
}

function chosen({ skills, resources, templates }: Snapshot, choice: ToolChoice): readonly OwnTool[] {
  const tools = skills.length === 0 && resources.length + templates.length > 0 ? RESOURCE_TOOLS : TOOLS;
  return tools.filter(({ name }) => choice[name] !== false);
}
