/** Hosts that can open a page for the user are asked through URL elicitation, and the call continues. */
import { describe, expect, it } from 'vitest';
import { createWorld } from './support/folders.js';
import { wrappingHost } from './support/line-host.js';
import { startProtected } from './support/protected-server.js';
import { useSources } from './support/start.js';

// The process that renews a login is the built program.
useSources();

const CAN_OPEN = { elicitation: { url: {} } };

it('a host without URL elicitation gets the command for a wrapped server, also in the log', async () => {
  const [world, server] = [createWorld(), await startProtected()];
  const host = await wrappingHost(world, server.url);
  await expect.poll(host.tools).toContain('sign_in_to_127_0_0_1');
  const advice = `requires you to sign in. Call the tool 'sign_in_to_127_0_0_1', or run \`footbridge login ${server.url}\`.`;
  await expect.poll(host.output).toContain(`is not available. 127.0.0.1 ${advice}`);
  expect(host.output()).not.toContain('Authorization header');
});

describe('a host with URL elicitation', () => {
  it('of 2025-11-25 is asked during the tool call, and notified when the user has finished', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    const asked: string[] = [];
    const host = await wrappingHost(world, server.url, {
      capabilities: CAN_OPEN,
      async answer(method, { mode, url }) {
        asked.push(`${method} ${mode}`);
        await server.browse(url);
        return { action: 'accept' };
      },
    });
    expect(await host.call('sign_in_to_127_0_0_1')).toContain('Signed in to');
    expect(asked).toEqual(['elicitation/create url']);
    await expect.poll(() => host.notifications).toContain('notifications/elicitation/complete');
    await expect.poll(host.tools).toContain('whoami');
    await expect.poll(() => host.notifications).toContain('notifications/tools/list_changed');
  });

  it('of 2025-11-25 gets the answer of a call after an expired login', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    const host = await wrappingHost(world, server.url, {
      capabilities: CAN_OPEN,
      async answer(_method, { url }) {
        await server.browse(url);
        return { action: 'accept' };
      },
    });
    await host.call('sign_in_to_127_0_0_1');
    await expect.poll(host.tools).toContain('whoami');
    await server.revokeAll();
    expect(await host.call('whoami')).toContain('ada');
    expect(server.grants.filter((grant) => grant === 'authorization_code')).toHaveLength(2);
  });

  it('of 2026-07-28 gets the request in the result, and repeats the call', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    const host = await wrappingHost(world, server.url, { era: 'modern', capabilities: CAN_OPEN });
    const name = 'sign_in_to_127_0_0_1';
    const { result } = await host.request('tools/call', { name, arguments: {} });
    const [[key, { params }]] = Object.entries<{ params: { url: string } }>(result.inputRequests) as [
      [string, { params: { url: string } }],
    ];
    await server.browse(params.url);
    const inputResponses = { [key]: { action: 'accept' } };
    const { result: last } = await host.request('tools/call', { name, arguments: {}, inputResponses, requestState: result.requestState });
    expect(JSON.stringify(last)).toMatch(/Signed in to/);
    await expect.poll(host.tools).toContain('whoami');
    await server.revokeAll();
    const { result: asks } = await host.request('tools/call', { name: 'whoami', arguments: {} });
    const [[second, request]] = Object.entries<{ params: { url: string } }>(asks.inputRequests) as [[string, { params: { url: string } }]];
    await server.browse(request.params.url);
    const repeated = { name: 'whoami', arguments: {}, inputResponses: { [second]: { action: 'accept' } }, requestState: asks.requestState };
    expect(JSON.stringify(await host.request('tools/call', repeated))).toContain('ada');
  });

  it('that declines gets an error', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    const host = await wrappingHost(world, server.url, { capabilities: CAN_OPEN, answer: async () => ({ action: 'decline' }) });
    expect(await host.call('sign_in_to_127_0_0_1')).toContain('did not sign in');
    expect(server.grants).toEqual([]);
  });
});
