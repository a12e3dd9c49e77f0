// A start with a stored login, against one with the same token in `headers`: to tools/list, to the answer of the first call, and
// each call after it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHttp } from '../http/servers.mjs';
import { milliseconds, row, valueAtMost } from '../report.mjs';
import { command, fillCache, start } from '../servers.mjs';
import { interleave, percentile } from '../statistics.mjs';
import { protectedHttp } from '../wrap/ways.mjs';

const ROUNDS = 15;
const MAX_ADDED_MS = 5;
const CALLS = 200;
/** What is added to a call must be lost in the noise of the machine. */
const MAX_PER_CALL = 1.05;
const SECRET = 'BENCH_SECRET';

export async function measureSignIn(workspace) {
  const upstream = await startHttp(workspace, protectedHttp);
  const url = `http://127.0.0.1:${upstream.port}/mcp`;
  const login = await ready(workspace, { url, oauth: { grant: 'client_credentials', clientId: 'bench', clientSecretEnv: SECRET } });
  const headers = await ready(workspace, { url, headers: { authorization: 'Bearer valid-for-the-whole-run' } });
  const samples = await interleave(ROUNDS, { login: () => timed(workspace, login), headers: () => timed(workspace, headers) });
  await upstream.close();
  return [line('tools/list', samples, 'listed'), line('the first answer of the server', samples, 'answered'), callLine(samples)];
}

/** A Footbridge with this server, whose cache and login are those of an earlier start. */
async function ready(workspace, entry) {
  const folder = workspace.folder('login');
  const file = join(folder, 'footbridge.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { upstream: entry } }));
  const server = (cache) => ({ args: [command, '--config', file], environment: { FOOTBRIDGE_CACHE: cache, [SECRET]: 'secret' } });
  return server(await fillCache(workspace, server));
}

async function timed(workspace, server) {
  const begin = performance.now();
  const { client, tools, milliseconds: listed } = await start(workspace, server);
  const name = tools.find((tool) => tool.name.endsWith('echo'))?.name;
  if (name === undefined) throw new Error(`The server is not signed in: ${tools.map((tool) => tool.name).join(', ')}`);
  const call = () => client.request('tools/call', { name, arguments: { message: 'hello' } });
  const { result, at } = await call();
  const calls = [];
  for (let count = 0; count < CALLS; count++) {
    const sent = performance.now();
    calls.push((await call()).at - sent);
  }
  await client.close();
  if (result.content?.[0]?.text !== 'Echo: hello') throw new Error(`Not what was sent: ${JSON.stringify(result)}`);
  return { listed, answered: at - begin, called: percentile(calls, 0.5) };
}

/** The lower quartile: other work on the machine can double a time, but never shortens it. */
function quiet(samples, key) {
  return percentile(
    samples.map((sample) => sample[key]),
    0.25,
  );
}

function callLine({ login, headers }) {
  const [ours, other] = [quiet(login, 'called'), quiet(headers, 'called')];
  return row({
    measure: 'A stored login, a call: p50, quiet rounds',
    ours: milliseconds(ours),
    other: `headers ${milliseconds(other)}`,
    ratio: ours / other,
    limit: valueAtMost(ours / other, MAX_PER_CALL, `≤ ${MAX_PER_CALL} ×`),
  });
}

function line(until, { login, headers }, key) {
  const [ours, other] = [quiet(login, key), quiet(headers, key)];
  return row({
    measure: `A stored login, start to ${until}: quiet rounds`,
    ours: milliseconds(ours),
    other: `headers ${milliseconds(other)}`,
    ratio: ours / other,
    limit: valueAtMost(ours - other, MAX_ADDED_MS, `≤ ${MAX_ADDED_MS} ms more`),
  });
}
