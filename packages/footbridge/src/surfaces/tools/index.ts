/** The surface `tools`: for hosts that call tools and nothing else. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import { echo } from '../../errors.js';
import { getSkillTool } from './get-skill.js';
import { listSkillsTool } from './list-skills.js';
import { skillTool } from './skill.js';
import type { OwnTool } from './tool.js';

const TOOLS: readonly OwnTool[] = [skillTool, listSkillsTool, getSkillTool];

export function listTools(snapshot: Snapshot): Tool[] {
  return TOOLS.map((tool) => tool.describe(snapshot));
}

export async function callTool(catalog: Catalog, name: string, input: unknown): Promise<CallToolResult> {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) {
    const names = TOOLS.map((each) => each.name).join(', ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool '${echo(name)}'. There are: ${names}.`);
  }
  return tool.call(input, catalog);
}
