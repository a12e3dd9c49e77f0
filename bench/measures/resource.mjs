// A resource read with `get_resource`, against `resources/read` of the same process.
import { milliseconds, ratioAtMost, row } from '../report.mjs';
import { CONTENTS } from '../resources.mjs';
import { AUTHOR_V1, AUTHOR_V2, OWN_SERVER, resourceServer, start } from '../servers.mjs';
import { median, percentile } from '../statistics.mjs';
import { takeTurns } from '../turns.mjs';

const SMALL_TURNS = { warmUp: 500, blocks: 60, calls: 100 };
const LARGE_TURNS = { warmUp: 50, blocks: 30, calls: 20 };
const LIMIT = ratioAtMost(1.1);
const SERVERS = [
  { name: 'own server', script: OWN_SERVER, limit: LIMIT },
  { name: "author's server, SDK v2", script: AUTHOR_V2, limit: LIMIT },
  { name: "author's server, SDK v1", script: AUTHOR_V1 },
];

export async function measureResource(workspace) {
  const rows = [];
  for (const { name, script, limit } of SERVERS) {
    for (const content of CONTENTS) {
      // A process for each, so that the garbage of a large one does not fall into the time of a small one.
      const { client } = await start(workspace, resourceServer(script));
      await check(client, content);
      const { uri, kind } = content;
      const samples = await takeTurns(
        {
          tool: { client, request: () => ['tools/call', { name: 'get_resource', arguments: { uri } }] },
          read: { client, request: () => ['resources/read', { uri }] },
        },
        content.text.length < 10_000 ? SMALL_TURNS : LARGE_TURNS,
      );
      await client.close();
      const line = (statistic, of, most) => {
        const [tool, read] = [of(samples.tool), of(samples.read)];
        const measure = `get_resource, ${name}, ${kind}: ${statistic}`;
        return row({ measure, ours: milliseconds(tool), other: `resources/read ${milliseconds(read)}`, ratio: tool / read, limit: most });
      };
      rows.push(
        line('p95', (each) => percentile(each, 0.95), limit),
        line('median', median),
      );
    }
  }
  return rows;
}

/** That both ways give the whole content; a server that answers with less is fast. */
async function check(client, { uri, text, mimeType }) {
  const { result: called } = await client.request('tools/call', { name: 'get_resource', arguments: { uri } });
  const { result: read } = await client.request('resources/read', { uri });
  const same = called.isError !== true && called.content?.[0]?.text === text && read.contents?.[0]?.text === text;
  const { structuredContent } = called;
  const data = mimeType === 'application/json' ? JSON.stringify(structuredContent?.data) : structuredContent?.data?.text;
  if (!same || (structuredContent !== undefined && data !== text)) throw new Error(`Not the content of ${uri}.`);
}
