/** What is logged at the level `debug` over stdio. */
import { expect, it } from 'vitest';
import { createWorld } from './support/folders.js';
import { serve } from './support/server.js';

it('discovery and rejected input are logged at debug level over stdio', async () => {
  const world = createWorld();
  world.skill('project/.agents/skills/pdf');
  const client = await serve(world, { args: ['--log-level', 'debug'] });
  const lines = () => client.stderr.split('\n').filter((line) => /: (?:discovery|rejected): /.test(line));
  const secret = ['ghp', 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8cF0xLaB3d'].join('_');
  await client.request('tools/list');
  await client.call('get_resource', {});
  await client.call('get_resource', { uri: null });
  await client.call('list_skills', {});
  await client.call('get_resource', { uri: 5 });
  await client.call('get_skill', { uri: 'pdf' });
  await client.call('skill', { name: secret });
  await client.request('tools/call', { name: 'no_such_tool' });
  await client.call('skill', { name: 'pdf' });
  await client.waitFor(() => lines().length >= 8);
  expect(lines().map((line) => line.replace(/, [\d.]+ ms$/, ''))).toEqual([
    'footbridge debug: discovery: tools/list',
    'footbridge debug: discovery: tools/call get_resource',
    'footbridge debug: discovery: tools/call get_resource',
    'footbridge debug: discovery: tools/call list_skills',
    expect.stringMatching(/^footbridge debug: rejected: tools\/call get_resource, .*expected string, received number/),
    expect.stringMatching(/^footbridge debug: rejected: tools\/call get_skill, The uri does not start with skill:/),
    expect.stringMatching(/^footbridge debug: rejected: tools\/call skill, Skill '.*' not found/),
    expect.stringMatching(/^footbridge debug: rejected: tools\/call no_such_tool, .*Unknown tool 'no_such_tool'/),
  ]);
  expect(client.stderr).not.toContain(secret);
});
