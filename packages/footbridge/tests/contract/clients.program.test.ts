/** Real clients: SDK v1, SDK v2 in both eras, and the SDK's Skills client, which verifies digests. */
import { join } from 'node:path';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENTRY, environment } from '../support/client.js';
import { createWorld, type World } from '../support/folders.js';

const examples = join(import.meta.dirname, '..', '..', '..', '..', 'examples', 'skills');

function command(world: World) {
  const env = Object.fromEntries(
    Object.entries(environment(world.home)).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return { command: process.execPath, args: [ENTRY, '--skills', examples, '--prompts'], env, cwd: world.project };
}

describe('an SDK v1 client', () => {
  it('lists, calls, reads, completes and gets prompts', async () => {
    const client = new OldClient({ name: 'v1', version: '1' });
    await client.connect(new OldTransport(command(createWorld())));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual([
      'skill',
      'list_skills',
      'get_skill',
      'get_resource',
      'get_resources',
    ]);
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(5);
    for (const { uri } of resources) {
      const [contents] = (await client.readResource({ uri })).contents;
      const result = await client.callTool({ name: 'get_skill', arguments: { uri } });
      expect(result.structuredContent).toEqual(contents);
    }
    expect((await client.listResourceTemplates()).resourceTemplates.map((template) => template.uriTemplate)).toEqual(['skill://{+path}']);
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'skill://{+path}' },
      argument: { name: 'path', value: 'office/sp' },
    });
    expect(completion.values).toEqual(['office/spreadsheet/SKILL.md']);
    const { prompts } = await client.listPrompts();
    expect(prompts.map((prompt) => prompt.name)).toContain('spreadsheet');
    const prompt = await client.getPrompt({ name: 'spreadsheet' });
    const loaded = await client.callTool({ name: 'skill', arguments: { name: 'spreadsheet' } });
    expect([prompt.messages[0]?.content]).toEqual(loaded.content);
    await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow('prompts/list');
  });
});

describe.each(['legacy', 'auto'] as const)('an SDK v2 client, negotiation %s', (mode) => {
  const connect = async () => {
    const client = new ModernClient({ name: 'v2', version: '2' }, { versionNegotiation: { mode } });
    await client.connect(new ModernTransport(command(createWorld())));
    onTestFinished(() => client.close());
    return client;
  };

  it('lists, calls and reads, in the era it chose', async () => {
    const client = await connect();
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
    expect((await client.listTools()).tools).toHaveLength(5);
    const { resources } = await client.listResources();
    for (const { uri } of resources) {
      const result = await client.callTool({ name: 'get_skill', arguments: { uri } });
      expect(result.structuredContent).toEqual((await client.readResource({ uri })).contents[0]);
    }
  });

  it('verifies the digest, size and frontmatter of every file of every skill', async () => {
    const client = await connect();
    const skills = new SkillsClient(client);
    const { skills: entries } = await skills.list();
    expect(entries.length).toBe((await client.listResources()).resources.length);
    let files = 0;
    for (const entry of entries) {
      const { skill } = await skills.get(entry.uri);
      expect(skill).toEqual(entry);
      if (entry.resources === 'dynamic') throw new Error('digests are published');
      for (const { uri } of entry.resources) {
        await skills.read(entry, uri);
        files++;
      }
    }
    expect(files).toBeGreaterThan(15);
  });
});
