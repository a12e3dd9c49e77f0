/** The shape of `footbridge.json`. Each description is both what an editor shows and what an error says to do. */
import * as z from 'zod/v4';
import type { Identity } from '../../serve/identity.js';
import { TOOL_NAMES } from '../../surfaces/tools/index.js';
import { HttpSchema } from './http-schema.js';
import { McpServersSchema } from './mcp-servers-schema.js';
import { filled, listOf, text } from './parts.js';

const IdentitySchema = z
  .strictObject({
    name: text('Who the caller is, as sources and logs know them.'),
    roles: listOf(filled, 'Their roles. "admin" is the one that opens resources with requiresAdmin.').exactOptional(),
  } satisfies Record<keyof Identity, z.ZodType>)
  .describe('Who the caller is over stdio. Without it that is the owner of the machine, who may see everything.');

const ToolsSchema = z
  .strictObject(
    Object.fromEntries(
      TOOL_NAMES.map((name) => [name, z.boolean().describe(`Whether the tool ${name} is offered. Default true.`).exactOptional()]),
    ),
  )
  .describe('Which of our tools are offered: false switches one off.');

const packName = text('A package that is installed, or a module beside this file that begins with ./ .');

const PacksSchema = listOf(
  z.union(
    [packName, z.tuple([packName, z.record(z.string(), z.unknown()).describe('What the pack takes, as its own documentation says.')])],
    'This is neither a name nor a list of a name and options.',
  ),
  'Packages that bring tools, resources and skills of their own, such as ["@footbridge/engage"], each by its name or as [name, { options }].',
).refine(
  (packs) => new Set(packs.map((pack) => (typeof pack === 'string' ? pack : pack[0]))).size === packs.length,
  'A pack is named twice.',
);

export const ConfigSchema = z
  .strictObject({
    $schema: z.string().describe('The JSON Schema of this file, for editors.').exactOptional(),
    skills: listOf(
      text('A folder of skills; a name that is relative begins at the folder of this file, one with ~/ at the home folder.'),
      'Folders of skills besides the standard ones, searched in depth, such as ["./team-skills"].',
    ).exactOptional(),
    standardFolders: z
      .boolean()
      .describe('Whether the standard folders, such as ./.agents/skills and ~/.claude/skills, are searched. Default true.')
      .exactOptional(),
    locked: z
      .boolean()
      .describe('Whether only those skills are served that are as footbridge.lock has them, which `footbridge lock` writes. Default false.')
      .exactOptional(),
    mcpServers: McpServersSchema.exactOptional(),
    packs: PacksSchema.exactOptional(),
    tools: ToolsSchema.exactOptional(),
    identity: IdentitySchema.exactOptional(),
    http: HttpSchema.exactOptional(),
  })
  .describe('What footbridge serves, to whom, and how.');
