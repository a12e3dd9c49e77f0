/** The schema of `footbridge.json`. Editors show the descriptions, and errors include them. */
import * as z from 'zod/v4';
import type { Identity } from '../../serve/identity.js';
import { TOOL_NAMES } from '../../surfaces/tools/index.js';
import { HttpSchema } from './http-schema.js';
import { McpServersSchema } from './mcp-servers-schema.js';
import { filled, listOf, text } from './parts.js';

const IdentitySchema = z
  .strictObject({
    name: text('Name of the caller, for sources and logs.'),
    roles: listOf(filled, 'Roles of the caller. "admin" gives access to resources with requiresAdmin.').exactOptional(),
  } satisfies Record<keyof Identity, z.ZodType>)
  .describe('The caller over stdio. Without it, the caller is the owner of the machine and sees everything.');

const ToolsSchema = z
  .strictObject(
    Object.fromEntries(
      TOOL_NAMES.map((name) => [name, z.boolean().describe(`Whether the tool ${name} is offered. Default true.`).exactOptional()]),
    ),
  )
  .describe('Which of the built-in tools are offered: false disables one.');

const packName = text('An installed package, or a module relative to this file that starts with ./ .');

const PacksSchema = listOf(
  z.union(
    [packName, z.tuple([packName, z.record(z.string(), z.unknown()).describe('Options of the pack, as described in its documentation.')])],
    'Expected a name, or [name, { options }].',
  ),
  'Packages that add tools, resources and skills, such as ["@footbridge/engage"], each as a name or as [name, { options }].',
).refine((packs) => new Set(packs.map((pack) => (typeof pack === 'string' ? pack : pack[0]))).size === packs.length, 'Duplicate pack.');

export const ConfigSchema = z
  .strictObject({
    $schema: z.string().describe('The JSON Schema of this file, for editors.').exactOptional(),
    skills: listOf(
      text('A skill folder. A relative path starts at the folder of this file, ~/ is the home folder.'),
      'Skill folders in addition to the standard ones, searched recursively, such as ["./team-skills"].',
    ).exactOptional(),
    standardFolders: z
      .boolean()
      .describe('Whether the standard folders, such as ./.agents/skills and ~/.claude/skills, are searched. Default true.')
      .exactOptional(),
    locked: z
      .boolean()
      .describe('Whether only skills that match footbridge.lock are served. `footbridge lock` writes that file. Default false.')
      .exactOptional(),
    mcpServers: McpServersSchema.exactOptional(),
    packs: PacksSchema.exactOptional(),
    tools: ToolsSchema.exactOptional(),
    identity: IdentitySchema.exactOptional(),
    http: HttpSchema.exactOptional(),
  })
  .describe('What footbridge serves, to whom, and how.');

export function configJsonSchema() {
  return { title: 'footbridge.json', ...z.toJSONSchema(ConfigSchema, { io: 'input' }) };
}
