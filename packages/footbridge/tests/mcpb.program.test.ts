/** The bundle for Claude Desktop: unpacked, and started as its manifest says. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import JSZip from 'jszip';
import { expect, it } from 'vitest';
import { repository } from './support/documents.js';
import { createWorld } from './support/folders.js';
import { startStdio } from './support/programs.js';

interface Manifest {
  readonly server: { readonly entry_point: string; readonly mcp_config: { readonly args: readonly string[] } };
  readonly user_config: Record<string, object>;
}

const require = createRequire(import.meta.url);
/** The schema of the makers of the format. */
const isManifest = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync(require.resolve('@anthropic-ai/mcpb/mcpb-manifest-v0.3.schema.json'), 'utf8')),
);

it('serves the skills of the chosen folder with only its own files', async () => {
  const world = createWorld();
  world.skill('outside/chosen/from-the-folder');
  const built = execFileSync(process.execPath, [join(repository, 'scripts', 'mcpb.mjs'), world.path('outside')], { encoding: 'utf8' });
  const { files } = await JSZip.loadAsync(readFileSync(built.trim().split('\n').at(-1) ?? ''));
  const folder = world.path('outside/extension');
  for (const [name, file] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), await file.async('nodebuffer'));
  }
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  expect(isManifest(manifest), JSON.stringify(isManifest.errors)).toBe(true);
  const { server, user_config } = manifest;
  expect(files).toHaveProperty([server.entry_point]);
  const values: Record<string, string> = { __dirname: folder, 'user_config.skills': world.path('outside/chosen') };
  expect(Object.keys(user_config)).toEqual(['skills']);
  const args = server.mcp_config.args.map((word) => word.replace(/\$\{([\w.]+)\}/g, (_whole, name: string) => values[name] ?? ''));
  const peer = await startStdio(args, world.home);
  const { result } = await peer.request('tools/call', { name: 'list_skills', arguments: {} });
  expect(JSON.stringify(result)).toContain('from-the-folder');
});
