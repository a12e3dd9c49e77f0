/** A server for others resolves the host name of a Jira once, and does not connect to its own machine or networks. */
import dns, { type LookupAddress } from 'node:dns';
import { createServer } from 'node:net';
import { isInternalAddress } from 'footbridge/pack';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { JiraClient, type JiraClientOptions } from '../src/jira/client.js';
import { newWorld } from './support/connections.js';
import { failureOf } from './support/failures.js';
import { fileOf, PAT } from './support/jira-fixtures.js';

afterEach(() => vi.restoreAllMocks());

/** Resolves every name to the next of these answers; the last one stays. */
function resolveTo(...answers: readonly (readonly string[])[]) {
  let asked = 0;
  const lookup = vi.spyOn(dns, 'lookup') as unknown as { mockImplementation(lookup: unknown): void };
  lookup.mockImplementation((_name: string, options: { all?: boolean }, callback: (...result: unknown[]) => void) => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? [];
    const addresses = answer.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(() => (options.all === true ? callback(null, addresses) : callback(null, addresses[0]?.address, addresses[0]?.family)));
  });
}

class Unverified extends JiraClient {
  override async myself() {
    return 'Nobody';
  }
}
const unverified = { clientFor: (options: JiraClientOptions) => new Unverified(options) };

/** A server on loopback that counts connections. */
async function listener() {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { port: typeof address === 'object' ? address?.port : 0, count: () => connections };
}

describe('a host name of a remote caller', () => {
  it.each([[['127.0.0.1']], [['192.0.2.7', '127.0.0.1']], [['::ffff:127.0.0.1']], [['0.0.0.0']], [['10.1.2.3']]])(
    'that resolves to %j is refused before a connection is made',
    async (addresses) => {
      const { process } = await newWorld();
      const { port, count } = await listener();
      resolveTo(addresses);
      const body = { jira_base_url: `https://jira.example.com:${port}`, pat: PAT };
      expect(await failureOf(process({ local: false }).connect('me', body))).toMatchObject({
        code: 'validation_error',
        message: 'This server is not allowed to connect to that Jira.',
      });
      expect(count()).toBe(0);
    },
  );

  it('is rejected once it resolves to this machine (DNS rebinding)', async () => {
    const { process } = await newWorld();
    const { port, count } = await listener();
    const before = process({ local: false, ...unverified });
    const { connection_id } = await before.connect('me', { jira_base_url: `https://jira.example.com:${port}`, pat: PAT });
    resolveTo(['127.0.0.1']);
    const client = await process({ local: false }).use('me', connection_id);
    expect((await failureOf(client.attachments('ABC-1'))).code).toBe('validation_error');
    const { file } = await fileOf(Buffer.from('12345'));
    expect((await failureOf(client.attach('ABC-1', file))).code).toBe('validation_error');
    expect(count()).toBe(0);
    expect(dns.lookup).toHaveBeenCalledTimes(2);
  });

  it('in a connection that was created for local use is not used for remote callers', async () => {
    const { process } = await newWorld();
    const { port, count } = await listener();
    const local = process(unverified);
    const { connection_id } = await local.connect('me', { jira_base_url: `http://127.0.0.1:${port}`, pat: PAT });
    expect((await failureOf(process({ local: false }).use('me', connection_id))).code).toBe('validation_error');
    expect(count()).toBe(0);
  });

  it.each([
    ['the operator allows the host', { local: false, allowedHosts: ['jira.example.com:PORT'] }],
    ['only this machine is served', { local: true }],
  ])('may resolve to loopback where %s', async (_where, options) => {
    const { process } = await newWorld();
    const { port, count } = await listener();
    resolveTo(['127.0.0.1']);
    const { allowedHosts, local } = { allowedHosts: undefined, ...options };
    const connections = process({ local, allowedHosts: allowedHosts?.map((host) => host.replace('PORT', String(port))) });
    const failure = await failureOf(connections.connect('me', { jira_base_url: `https://jira.example.com:${port}`, pat: PAT }));
    expect(failure.code).toBe('upstream_unavailable');
    expect(count()).toBe(1);
  });
});

it.each([
  '127.0.0.1',
  '127.255.0.3',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.5',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:a00:5',
  '0:0:0:0:0:FFFF:7f00:0001',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '2002:7f00:1::1',
  '2002:c0a8:101::',
  '2001:0:1:2::3',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'no address',
  '',
])('%j is an internal address', (address) => {
  expect(isInternalAddress(address)).toBe(true);
});

it.each([
  '192.0.2.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2001:db8::1',
  '2606:4700::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
])('%j is an address of another machine', (address) => {
  expect(isInternalAddress(address)).toBe(false);
});
