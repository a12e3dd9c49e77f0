/** The description of `get_resource`, which a model sees before its first call. */
import { Catalog, createServer, defineResource, defineResources, skillFolders } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HostViews } from '../src/surfaces/hosts/view.js';
import { listTools } from '../src/surfaces/tools/index.js';
import type { Json } from './support/client.js';
import { createWorld } from './support/folders.js';
import { connect } from './support/memory.js';
import { serveHere } from './support/serve-here.js';

async function catalogOf(count = 1) {
  const resources = Array.from({ length: count }, (_, index) =>
    defineResource({ uri: index === 0 ? 'docs://about' : `docs://page-${index}`, name: `page ${index}`, read: () => 'About.' }),
  );
  const template = defineResource({
    uri: 'docs://{page}',
    name: 'a page',
    variables: { page: { examples: ['about'] } },
    read: () => 'Any.',
  });
  const catalog = await Catalog.open([defineResources([...resources, template])]);
  onTestFinished(() => catalog.close());
  return catalog;
}

async function entryFor(client: string, count?: number): Promise<Json> {
  const { snapshot } = await catalogOf(count);
  return listTools(snapshot, new HostViews().of(client, false)).find(({ name }) => name === 'get_resource');
}

describe('the description of get_resource', () => {
  it('has the parameters, the three result shapes and an example of discovery, static, template and error', async () => {
    const { description, inputSchema } = await entryFor('claude-code');
    for (const parameter of ['uri', 'variables', 'cursor', 'offset', 'limit']) {
      expect(description).toMatch(new RegExp(`Parameters: .*\\b${parameter}\\b`));
      expect(inputSchema.properties[parameter].description).toMatch(/\S/);
    }
    expect(inputSchema.properties.uri.description).toBe('URI or template, as listed; leave out to list all');
    for (const kind of ['Discovery', 'Static', 'Template', 'Error']) expect(description).toContain(`- ${kind}: {`);
    expect(description).toContain('resources/read');
  });

  it('describes what calls return, with working examples', async () => {
    const client = await connect(createServer({ catalog: await catalogOf() }));
    const { tools } = (await client.request('tools/list')).result;
    const { description } = tools.find(({ name }: Json) => name === 'get_resource');
    const examples = [...description.matchAll(/^- (\w+): (\{.*?\})(?:,| gives) (?:or .* gives the same|(\{.*\}))$/gm)];
    expect(examples.map(([, kind]) => kind)).toEqual(['Discovery', 'Static', 'Template', 'Error']);
    for (const [, kind, input = '', shape = ''] of examples) {
      const { structuredContent } = await client.call('get_resource', JSON.parse(input));
      expect(structuredContent.success, kind).toBe(kind !== 'Error');
      const fields = new Set(shape.match(/[a-z_]+/g));
      for (const field of Object.keys(structuredContent).filter((each) => !['next_cursor', 'retryable'].includes(each)))
        if (shape !== '') expect(fields, `${kind}: ${field}`).toContain(field);
      if (kind === 'Discovery')
        for (const field of Object.keys(structuredContent.data.docs[0])) if (field !== 'examples') expect(fields).toContain(field);
      if (kind === 'Error') expect(structuredContent.error).toBe('InvalidURI');
    }
  });

  it.each(['claude-code', 'codex-mcp-client', 'some other host'])('fits the limit of %s, whatever is listed', async (client) => {
    const { toolDescription, isGuess } = new HostViews().of(client, false).profile;
    for (const count of [1, 60, 3000]) {
      const { description } = await entryFor(client, count);
      if (isGuess !== true) expect(description.length).toBeLessThanOrEqual(toolDescription);
      expect(description.slice(0, toolDescription)).toContain('- Error: {');
      if (count === 3000) expect(description).toMatch(/\n\d+ more: call get_resource\(\) without arguments\.$/);
    }
  });
});

describe('the compatibility layer', () => {
  const TOOLS = ['get_resource', 'get_skill'] as const;

  it.each(TOOLS)('%s is disabled by "tools" in footbridge.json', async (tool) => {
    const world = createWorld();
    world.skill('project/.agents/skills/pdf');
    world.write('project/footbridge.json', JSON.stringify({ tools: { [tool]: false } }));
    const host = await serveHere(world);
    const names = (await host.request('tools/list')).result.tools.map(({ name }: Json) => name);
    expect(names).toContain('skill');
    expect(names).not.toContain(tool);
    await expect(host.call(tool, { uri: 'skill://pdf/SKILL.md' })).rejects.toThrow(`Unknown tool '${tool}'`);
    const { result } = await host.request('resources/read', { uri: 'skill://pdf/SKILL.md' });
    expect(result.contents[0].text).toContain('Instructions of pdf.');
  });

  it.each(TOOLS)('%s is disabled by the option tools of the library', async (tool) => {
    const world = createWorld();
    world.skill('project/team/pdf');
    const catalog = await Catalog.open([skillFolders({ folders: [world.path('project/team')], standardFolders: false, watch: false })]);
    onTestFinished(() => catalog.close());
    const client = await connect(createServer({ catalog, tools: { [tool]: false } }));
    const names = (await client.request('tools/list')).result.tools.map(({ name }: Json) => name);
    expect(names).not.toContain(tool);
  });
});
