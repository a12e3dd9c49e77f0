/** The smallest HTTP server: both eras on one path, on this machine only. */
import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENTRY, environment } from '../support/client.js';
import { createWorld, type World } from '../support/folders.js';

/** Starts the server on a free port; resolves with its endpoint and what it printed. */
async function start(world: World, ...args: string[]) {
  const child = spawn(process.execPath, [ENTRY, 'serve', '--http', '0', ...args], { cwd: world.project, env: environment(world.home) });
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ctrl-C')) resolve();
    });
    child.on('exit', () => reject(new Error(output)));
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
  const endpoint = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(output)?.[0] ?? '';
  return { endpoint, output };
}

describe.each(['legacy', 'auto'] as const)('serve --http, negotiation %s', (mode) => {
  it('serves tools, resources and the Skills extension', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/git');
    const { endpoint, output } = await start(world);
    expect(output).toContain(`"url": "${endpoint}"`);
    expect(output).toContain(`claude mcp add --transport http footbridge ${endpoint}`);
    const client = new Client({ name: 'http', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(endpoint)));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toHaveLength(5);
    const uri = 'skill://git/SKILL.md';
    expect((await client.callTool({ name: 'get_skill', arguments: { uri } })).structuredContent).toEqual(
      (await client.readResource({ uri })).contents[0],
    );
  });
});

describe('serve --http', () => {
  it('notifies modern listeners of a new skill', async () => {
    const world = createWorld();
    const { endpoint } = await start(world, '--prompts');
    const client = new Client({ name: 'http', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(endpoint)));
    onTestFinished(() => client.close());
    const seen = new Set<string>();
    client.setNotificationHandler('notifications/tools/list_changed', () => void seen.add('tools'));
    client.setNotificationHandler('notifications/resources/list_changed', () => void seen.add('resources'));
    client.setNotificationHandler('notifications/prompts/list_changed', () => void seen.add('prompts'));
    await client.listen({ toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true });
    world.skill('project/.agents/skills/new');
    await expect.poll(() => [...seen].sort()).toEqual(['prompts', 'resources', 'tools']);
  });

  it('rejects other hosts and origins, and names the MCP endpoint', async () => {
    const { endpoint } = await start(createWorld());
    const send = (path: string, headers: Record<string, string>) =>
      new Promise<{ status: number; body: string }>((resolve, reject) => {
        const call = request(
          new URL(path, endpoint),
          { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
          (response) => {
            let body = '';
            response.on('data', (chunk: Buffer) => {
              body += chunk.toString();
            });
            response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
          },
        );
        call.on('error', reject);
        call.end('{}');
      });
    expect((await send('/mcp', { host: 'evil.example' })).status).toBe(403);
    expect((await send('/mcp', { origin: 'https://evil.example' })).status).toBe(403);
    expect(await send('/elsewhere', {})).toMatchObject({ status: 404, body: 'Not found. The MCP endpoint is /mcp.\n' });
  });

  it('reports a port in use', async () => {
    const world = createWorld();
    const { endpoint } = await start(world);
    const port = new URL(endpoint).port;
    const second = spawn(process.execPath, [ENTRY, 'serve', '--http', port], { cwd: world.project, env: environment(world.home) });
    let stderr = '';
    second.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    expect(await new Promise((resolve) => second.on('close', resolve))).toBe(1);
    expect(stderr).toBe(
      `footbridge error: Port ${port} is already in use. Choose another with --http, or stop the program that uses it.\n`,
    );
  });
});
