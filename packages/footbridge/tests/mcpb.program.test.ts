/** The bundle for Claude Desktop: unpacked, and started as its manifest says. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import JSZip from 'jszip';
import { expect, it } from 'vitest';
import * as z from 'zod/v4';
import { repository } from './support/documents.js';
import { createWorld } from './support/folders.js';
import { startStdio } from './support/programs.js';

/** The fields of version 0.3 that are used. */
const manifestFile = z.strictObject({
  manifest_version: z.literal('0.3'),
  name: z.string().regex(/^[a-z0-9-]+$/),
  display_name: z.string(),
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  description: z.string().min(1),
  author: z.strictObject({ name: z.string().min(1) }),
  license: z.string(),
  keywords: z.array(z.string()),
  server: z.strictObject({
    type: z.literal('node'),
    entry_point: z.string(),
    mcp_config: z.strictObject({ command: z.literal('node'), args: z.array(z.string()) }),
  }),
  tools_generated: z.literal(true),
  compatibility: z.strictObject({
    platforms: z.array(z.enum(['darwin', 'win32', 'linux'])),
    runtimes: z.strictObject({ node: z.string() }),
  }),
  user_config: z.record(
    z.string(),
    z.strictObject({
      type: z.literal('directory'),
      title: z.string(),
      description: z.string(),
      required: z.boolean(),
      default: z.string(),
    }),
  ),
});

it('serves the skills of the folder that the user has chosen, with nothing but its own files', async () => {
  const world = createWorld();
  world.skill('outside/chosen/from-the-folder');
  const built = execFileSync(process.execPath, [join(repository, 'scripts', 'mcpb.mjs'), world.path('outside')], { encoding: 'utf8' });
  const { files } = await JSZip.loadAsync(readFileSync(built.trim().split('\n').at(-1) ?? ''));
  const folder = world.path('outside/extension');
  for (const [name, file] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), await file.async('nodebuffer'));
  }
  const { server, user_config } = manifestFile.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  expect(files).toHaveProperty([server.entry_point]);
  const values: Record<string, string> = { __dirname: folder, 'user_config.skills': world.path('outside/chosen') };
  expect(Object.keys(user_config)).toEqual(['skills']);
  const args = server.mcp_config.args.map((word) => word.replace(/\$\{([\w.]+)\}/g, (_whole, name: string) => values[name] ?? ''));
  const peer = await startStdio(args, world.home);
  const { result } = await peer.request('tools/call', { name: 'list_skills', arguments: {} });
  expect(JSON.stringify(result)).toContain('from-the-folder');
});
