// The client for the suite's scenarios on authorization: Footbridge as a gateway, and a user who signs in whenever the server
// asks for it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

const footbridge = join(import.meta.dirname, '..', 'packages', 'footbridge', 'bin', 'footbridge.cjs');
const MODERN = '2026-07-28';
const SIGN_IN = 'sign_in_to_conformance';
/** A server may ask for one more permission with each call; a user does not accept that forever. */
const MAX_SIGN_INS = 3;
/** The document of the suite that describes a client, in the scenario on those documents. */
const METADATA_DOCUMENT = 'https://conformance-test.local/client-metadata.json';

const url = process.argv.at(-1);
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const version = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '2025-11-25';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
const envelope =
  version === MODERN
    ? {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN,
          'io.modelcontextprotocol/clientInfo': { name: 'conformance', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      }
    : {};

const home = mkdtempSync(join(tmpdir(), 'footbridge-conformance-client-'));
writeFileSync(join(home, 'footbridge.json'), JSON.stringify({ mcpServers: { conformance: { url, ...oauth() } } }));
const child = spawn(process.execPath, [footbridge, '--config', join(home, 'footbridge.json')], {
  cwd: home,
  env: {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    FOOTBRIDGE_KEYCHAIN: 'off',
    CLIENT_SECRET: context.client_secret ?? '',
    CLIENT_KEY: context.private_key_pem ?? '',
  },
  stdio: ['pipe', 'pipe', 'inherit'],
});
const pending = new Map();
createInterface({ input: child.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  pending.get(message.id)?.(message);
});

try {
  await use();
} finally {
  child.stdin.end();
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(home, { recursive: true, force: true });
}

async function use() {
  if (version !== MODERN) {
    const clientInfo = { name: 'conformance', version: '1' };
    await request('initialize', { protocolVersion: version, capabilities: {}, clientInfo });
    send({ method: 'notifications/initialized' });
  }
  let signIns = 0;
  while (signIns < MAX_SIGN_INS) {
    const tools = await settledTools();
    const own = tools.find((name) => name !== SIGN_IN);
    if (own !== undefined && !tools.includes(SIGN_IN)) {
      const answer = await request('tools/call', { name: own, arguments: {} });
      console.error(`${own}: ${JSON.stringify(answer.result ?? answer.error)}`);
      if (answer.error === undefined) return;
      if (!(await settledTools()).includes(SIGN_IN)) throw new Error(answer.error.message);
    } else if (!tools.includes(SIGN_IN)) throw new Error('The server offers nothing.');
    signIns++;
    await signIn();
  }
  throw new Error(`The server still asks for a sign-in after ${MAX_SIGN_INS}.`);
}

async function signIn() {
  const { result } = await request('tools/call', { name: SIGN_IN, arguments: {} });
  const text = result?.content?.[0]?.text ?? '';
  console.error(text);
  const link = /https?:\S+/.exec(result?.isError ? '' : text)?.[0];
  if (link === undefined) throw new Error(text);
  await browse(link);
  // The tool disappears with the reason for it.
  for (let tries = 0; tries < 100 && (await toolNames()).includes(SIGN_IN); tries++) await setTimeout(50);
}

/** What a browser does whose user agrees to everything. */
async function browse(link) {
  let address = link;
  for (let hops = 0; hops < 10; hops++) {
    const response = await fetch(address, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (location === null) {
      if (!response.ok) throw new Error(await response.text());
      return;
    }
    address = new URL(location, address).href;
  }
}

/** Once the gateway has heard from the server. */
async function settledTools() {
  for (let tries = 0; ; tries++) {
    const names = await toolNames();
    if (names.some((name) => name !== 'server_unavailable') || tries === 60) return names;
    await setTimeout(50);
  }
}

async function toolNames() {
  const { result } = await request('tools/list', {});
  return (result?.tools ?? []).map(({ name }) => name).filter((name) => !['get_resource', 'get_resources'].includes(name));
}

function request(method, params) {
  const id = pending.size + 1;
  send({ id, method, params: { ...params, ...envelope } });
  return new Promise((resolve) => pending.set(id, resolve));
}

function send(message) {
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function oauth() {
  const { client_id: clientId, client_secret: secret, private_key_pem: key } = context;
  if (scenario === 'auth/basic-cimd') return { oauth: { clientId: METADATA_DOCUMENT } };
  if (clientId === undefined) return {};
  const grant = scenario.startsWith('auth/client-credentials') ? { grant: 'client_credentials' } : {};
  return {
    oauth: {
      clientId,
      ...(secret !== undefined && { clientSecretEnv: 'CLIENT_SECRET' }),
      ...(key !== undefined && { clientKeyEnv: 'CLIENT_KEY' }),
      ...grant,
    },
  };
}
