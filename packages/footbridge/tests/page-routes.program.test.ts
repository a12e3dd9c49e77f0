/** The routes of the catalog page. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PageData, PageFiles, PageSearch } from '../src/serve/http/page/shapes.js';
import { createWorld } from './support/folders.js';
import { startHttp } from './support/http-server.js';
import { startPageServer } from './support/page-server.js';
import { createPageWorld } from './support/page-world.js';
import { useSources } from './support/start.js';

useSources();

describe('the routes of the page', () => {
  it('have security headers, and the page holds no data', async () => {
    const server = await startPageServer(createPageWorld());
    for (const path of ['', 'page.js', 'page.css', 'api/catalog', 'api/search?words=git', 'api/skill?uri=skill://git/SKILL.md']) {
      const { status, headers } = await fetch(new URL(path, server.url));
      expect(status, path).toBe(200);
      expect(headers.get('content-security-policy'), path).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    }
    expect(await (await fetch(server.url)).text()).not.toContain('git');
    expect((await fetch(server.endpoint)).headers.get('content-security-policy')).toBeNull();
  });

  it('include the content of upstreams on the first request', async () => {
    const server = { command: process.execPath, args: [join(import.meta.dirname, 'fixtures', 'notes-v2.mjs')] };
    const { origin } = await startHttp(createWorld(), { config: { mcpServers: { notes: server } } });
    const data: PageData = JSON.parse(await (await fetch(`${origin}/api/catalog`)).text());
    expect(data.resources.map(({ origin: from }) => from)).toContain('notes');
  });

  it('report upstreams that are unavailable', async () => {
    const server = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
    const { origin } = await startHttp(createWorld(), { config: { mcpServers: { broken: server } } });
    const data: PageData = JSON.parse(await (await fetch(`${origin}/api/catalog`)).text());
    expect(data.unavailable).toMatchObject([{ server: 'broken', kind: 'exited' }]);
  });

  it('return 304 when unchanged', async () => {
    const server = await startPageServer(createPageWorld());
    for (const path of ['', 'page.js', 'api/catalog']) {
      const first = await fetch(new URL(path, server.url));
      const again = await fetch(new URL(path, server.url), { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
      expect(again.status, path).toBe(304);
    }
  });

  it('search skills as list_skills does', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/penguins', { description: 'Birds', body: 'They swim like torpedoes.' });
    world.skill('project/.agents/skills/bricks', { description: 'Houses' });
    const { origin } = await startHttp(world);
    const ask = async (words: string): Promise<PageSearch> =>
      JSON.parse(await (await fetch(`${origin}/api/search?words=${encodeURIComponent(words)}`)).text());
    expect(await ask('birds')).toEqual({ uris: ['skill://penguins/SKILL.md'] });
    expect(await ask('xyzzy')).toEqual({ uris: [] });
    expect(await ask('')).toEqual({ uris: [] });
    await expect.poll(() => ask('how do torpedoes swim')).toEqual({ uris: ['skill://penguins/SKILL.md'] });
  });

  it('search resources of upstreams beside skills, in one order', async () => {
    const server = { command: process.execPath, args: [join(import.meta.dirname, 'fixtures', 'notes-v2.mjs')] };
    const world = createWorld();
    world.skill('project/.agents/skills/penguins', { description: 'Birds of the south' });
    const { origin } = await startHttp(world, { config: { mcpServers: { notes: server } } });
    const data: PageData = JSON.parse(await (await fetch(`${origin}/api/catalog`)).text());
    const [resource] = data.resources;
    const [template] = data.templates;
    const ask = async (words: string): Promise<PageSearch> =>
      JSON.parse(await (await fetch(`${origin}/api/search?words=${encodeURIComponent(words)}`)).text());
    await expect.poll(() => ask(resource?.name ?? '')).toMatchObject({ uris: expect.arrayContaining([resource?.uri]) });
    await expect.poll(() => ask(template?.name ?? '')).toMatchObject({ uris: expect.arrayContaining([template?.uri]) });
    expect((await ask('birds')).uris).toEqual(['skill://penguins/SKILL.md']);
  });

  it('list the files of a skill, or return 404', async () => {
    const server = await startPageServer(createPageWorld());
    const ask = (uri: string) => fetch(`${server.url}api/skill?uri=${encodeURIComponent(uri)}`);
    const answer: PageFiles = JSON.parse(await (await ask('skill://release-notes/SKILL.md')).text());
    expect(answer.more).toBe(false);
    expect(answer.files.map(({ path }) => path)).toEqual([
      'SKILL.md',
      'assets',
      'assets/flow.png',
      'assets/Übersicht 1.csv',
      'references',
      'references/entries.md',
    ]);
    for (const uri of ['skill://none/SKILL.md', '', 'docs://x', 'skill://../etc/passwd']) expect((await ask(uri)).status, uri).toBe(404);
  });
});
