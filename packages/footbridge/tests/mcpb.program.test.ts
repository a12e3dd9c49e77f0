/** The bundle for Claude Desktop: unpacked, and started as its manifest says. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import JSZip from 'jszip';
import { expect, it } from 'vitest';
import { RawClient } from './support/client.js';
import { repository } from './support/documents.js';
import { createWorld, type World } from './support/folders.js';
import { textOf } from './support/server.js';

interface Manifest {
  readonly server: { readonly entry_point: string; readonly mcp_config: { readonly args: readonly string[] } };
  readonly user_config: Record<string, object>;
}

const require = createRequire(import.meta.url);
/** The schema of the makers of the format. */
const isManifest = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync(require.resolve('@anthropic-ai/mcpb/mcpb-manifest-v0.3.schema.json'), 'utf8')),
);

/** Unpacks the bundle; returns how a host starts it with a value of its setting. */
async function unpack(world: World): Promise<(skills: string) => readonly string[]> {
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
  expect(Object.keys(user_config)).toEqual(['skills']);
  return (skills) => {
    const values: Record<string, string> = { __dirname: folder, 'user_config.skills': skills };
    return server.mcp_config.args.map((word) => word.replace(/\$\{([\w.]+)\}/g, (_whole, name: string) => values[name] ?? ''));
  };
}

it('serves the skills of the chosen folder with only its own files, and starts without one', async () => {
  const world = createWorld();
  const argsFor = await unpack(world);
  world.skill('outside/chosen/from-the-folder');
  const skillsWith = async (folder: string) => {
    const host = await RawClient.start({
      script: argsFor(folder)[0] ?? '',
      args: argsFor(folder).slice(1),
      workingFolder: world.home,
      home: world.home,
    });
    const text = textOf(await host.call('list_skills', {}));
    await host.close();
    return { text, stderr: host.stderr };
  };
  expect(await skillsWith(world.path('outside/chosen'))).toEqual({ text: expect.stringContaining('from-the-folder'), stderr: '' });

  world.skill('home/.agents/skills/from-home');
  // Empty, or left as it stands in the manifest.
  for (const empty of ['', `\${user_config.skills}`]) {
    const { stderr, text } = await skillsWith(empty);
    expect(text).toContain('from-home');
    expect(stderr).toContain('Choose one in the settings of this extension.');
  }
  const missing = await skillsWith(world.path('outside/missing'));
  expect(missing.text).toContain('from-home');
  expect(missing.stderr).toMatch(/outside\/missing: The folder does not exist\. .*Create it or correct its name/);
});
