// The Quilt pack: each of its nineteen resources by tool and by `resources/read`, and many buckets in parallel.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialQuestions } from '../quilt/serial.mjs';
import { startSurroundings } from '../quilt/surroundings.mjs';
import { milliseconds, ratioAtMost, row, valueAtMost } from '../report.mjs';
import { command, pack, start } from '../servers.mjs';
import { median, percentile } from '../statistics.mjs';
import { takeTurns } from '../turns.mjs';

const PACK = '@footbridge/quilt';
/** Resources that need no request are fast, so they are measured more often. */
const LOCAL = /^(?:metadata|workflow):|^auth:\/\/filesystem/;
const LOCAL_TURNS = { warmUp: 500, blocks: 150, calls: 40 };
/** Many short turns, so that other work on the machine hits both sides alike. */
const REMOTE_TURNS = { warmUp: 20, blocks: 110, calls: 4 };
const BUCKETS = 100;
const DELAY_MS = 50;
const ROUNDS = 5;

export async function measureQuilt(workspace) {
  return [...(await measureRoads(workspace)), ...(await measureBuckets(workspace)), await measureOffline(workspace)];
}

async function measureRoads(workspace) {
  const surroundings = await startSurroundings(workspace);
  const server = pack(PACK, surroundings.environment);
  const rows = [];
  for (const { listed, uri } of await urisOf(workspace, server)) {
    // A process for each, so that the garbage of one does not slow another.
    const { client } = await start(workspace, server);
    const samples = await takeTurns(
      {
        tool: { client, request: () => ['tools/call', { name: 'get_resource', arguments: { uri } }] },
        read: { client, request: () => ['resources/read', { uri }] },
      },
      LOCAL.test(uri) ? LOCAL_TURNS : REMOTE_TURNS,
    );
    await client.close();
    const [tool, read] = [samples.tool, samples.read].map((each) => percentile(each, 0.95));
    rows.push(
      row({
        measure: `Quilt, ${listed}: p95`,
        ours: milliseconds(tool),
        other: `resources/read ${milliseconds(read)}`,
        ratio: tool / read,
        limit: ratioAtMost(1.1),
      }),
    );
  }
  await surroundings.stop();
  return rows;
}

/** The slowest failing read on a machine without credentials, where the SDK tries all providers. */
async function measureOffline(workspace) {
  const nobody = {
    AWS_EC2_METADATA_DISABLED: undefined,
    AWS_PROFILE: undefined,
    AWS_ACCESS_KEY_ID: undefined,
    HOME: workspace.folder('nobody'),
  };
  const { client } = await start(workspace, pack(PACK, nobody));
  const { data } = (await client.request('tools/call', { name: 'get_resource', arguments: {} })).result.structuredContent;
  const refused = [];
  for (const { uri } of Object.values(data).flat()) {
    const begin = performance.now();
    const { result, at } = await client.request('tools/call', { name: 'get_resource', arguments: { uri } });
    if (result.structuredContent.error === 'Unauthorized') refused.push({ uri, milliseconds: at - begin });
  }
  await client.close();
  // All resources that need the catalog or AWS.
  if (refused.length !== 10) throw new Error(`${refused.length} of the resources want a login, not 10.`);
  const slowest = refused.reduce((one, other) => (one.milliseconds > other.milliseconds ? one : other));
  return row({
    measure: 'Quilt, without any login: the slowest refusal',
    ours: milliseconds(slowest.milliseconds),
    other: slowest.uri,
    limit: valueAtMost(slowest.milliseconds, 2000, '≤ 2 s'),
  });
}

/** One URI for each of the nineteen resources, from discovery. */
async function urisOf(workspace, server) {
  const { client } = await start(workspace, server);
  const call = async (name, args) => (await client.request('tools/call', { name, arguments: args })).result.structuredContent;
  const { workflow } = await call('workflow_create', { name: 'Bench', steps: ['one', 'two', 'three'] });
  const { data } = await call('get_resource', {});
  await client.close();
  const uris = Object.values(data).flatMap((list) => list.map(({ uri }) => uri));
  if (uris.length !== 19) throw new Error(`Expected 19 resources, found ${uris.length}.`);
  return uris.map((listed) => ({ listed, uri: listed.replace('{template}', 'genomics').replace('{workflow_id}', workflow.id) }));
}

/** The same requests to the same buckets, one after another, with the same SDK. */
async function measureBuckets(workspace) {
  const surroundings = await startSurroundings(workspace, BUCKETS, DELAY_MS);
  const config = join(workspace.folder('write-check'), 'footbridge.json');
  writeFileSync(config, JSON.stringify({ packs: [[PACK, { writeCheck: true }]] }));
  const server = { args: [command, '--config', config], environment: { FOOTBRIDGE_CACHE: 'off', ...surroundings.environment } };
  const { client } = await start(workspace, server);
  const serial = serialQuestions(surroundings.environment);
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    const { result, at } = await client.request('tools/call', { name: 'get_resource', arguments: { uri: 'permissions://discover' } });
    const { data } = result.structuredContent;
    if (data.summary.writable !== BUCKETS || !data.complete) throw new Error('Not every bucket was looked at.');
    samples.push(at - begin);
  }
  const alone = await serial(BUCKETS);
  await client.close();
  await surroundings.stop();
  const ours = median(samples);
  return [
    row({
      measure: `Quilt, permissions://discover, ${BUCKETS} buckets with ${DELAY_MS} ms a request`,
      ours: milliseconds(ours),
      other: `one request after another ${milliseconds(alone)}`,
      ratio: ours / alone,
      limit: ratioAtMost(0.25),
    }),
    row({
      measure: `Quilt, permissions://discover, ${BUCKETS} buckets: the first ever`,
      ours: milliseconds(samples[0]),
      other: `one request a bucket ${milliseconds(BUCKETS * DELAY_MS)}`,
      ratio: samples[0] / (BUCKETS * DELAY_MS),
    }),
  ];
}
