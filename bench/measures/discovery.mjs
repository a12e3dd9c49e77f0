// `get_resource` without arguments among 1,000 resources, after the first time, against `resources/list` of the same process.
import { milliseconds, row, valueAtMost } from '../report.mjs';
import { AUTHOR_V2, OWN_SERVER, resourceServer, start } from '../servers.mjs';
import { median, percentile } from '../statistics.mjs';
import { takeTurns } from '../turns.mjs';

const COUNT = 1000;
const MAX_MS = 5;
const TURNS = { warmUp: 50, blocks: 40, calls: 25 };
const SERVERS = [
  { name: 'own server', script: OWN_SERVER, limited: true },
  { name: "author's server, SDK v2", script: AUTHOR_V2, limited: false },
];

export async function measureDiscovery(workspace) {
  const rows = [];
  for (const { name, script, limited } of SERVERS) {
    const { client } = await start(workspace, resourceServer(script, COUNT));
    const pages = await check(client);
    const samples = await takeTurns(
      {
        discovery: { client, request: () => discover() },
        list: { client, request: () => ['resources/list', {}] },
      },
      TURNS,
    );
    await client.close();
    const line = (statistic, of) => {
      const [discovery, list] = [of(samples.discovery), of(samples.list)];
      return row({
        measure: `Discovery, ${name}, 1,000 resources, page 1 of ${pages}: ${statistic}`,
        ours: milliseconds(discovery),
        other: `resources/list ${milliseconds(list)}`,
        ratio: discovery / list,
        limit: limited ? valueAtMost(discovery, MAX_MS, `≤ ${MAX_MS} ms`) : undefined,
      });
    };
    rows.push(
      line('p95', (each) => percentile(each, 0.95)),
      line('median', median),
    );
  }
  return rows;
}

const discover = (cursor) => ['tools/call', { name: 'get_resource', arguments: cursor === undefined ? {} : { cursor } }];

/** Checks that all resources are found; resolves with the number of pages. */
async function check(client) {
  const found = new Set();
  let pages = 0;
  let cursor;
  do {
    const { result } = await client.request(...discover(cursor));
    const { data, next_cursor } = result.structuredContent;
    for (const { uri } of Object.values(data).flat()) found.add(uri);
    cursor = next_cursor;
    pages++;
  } while (cursor !== undefined);
  const { result } = await client.request('resources/list', {});
  if (found.size !== COUNT || result.resources.length !== COUNT) throw new Error(`Discovery found ${found.size} of ${COUNT} resources.`);
  return pages;
}
