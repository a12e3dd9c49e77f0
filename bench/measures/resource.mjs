// A resource read with `get_resource`, against `resources/read` of the same process.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { milliseconds, ratioAtMost, row } from '../report.mjs';
import { CONTENTS, writeContents } from '../resources.mjs';
import { AUTHOR_V1, AUTHOR_V2, footbridge, OWN_SERVER, resourceServer, start } from '../servers.mjs';
import { median, percentile } from '../statistics.mjs';
import { takeTurns } from '../turns.mjs';

/**
 * Sides alternate often, so that other work on the machine hits both. V8 has compiled what a read runs after some 2,000 calls; until then
 * the slowest calls are those beside which it compiles.
 */
const SMALL_TURNS = { warmUp: 3000, blocks: 200, calls: 40 };
const LARGE_TURNS = { warmUp: 50, blocks: 100, calls: 8 };
const LIMIT = ratioAtMost(1.1);

const isSmall = ({ text }) => text.length < 10_000;

export const measureResource = (workspace) => measureSides(workspace, isSmall);
export const measureLargeResource = (workspace) => measureSides(workspace, (content) => !isSmall(content));

async function measureSides(workspace, isMeasured) {
  const folder = workspace.folder('contents');
  writeContents(folder);
  const skills = workspace.folder('skills-with-files');
  writeSkill(skills);
  const inSkill = CONTENTS.map((content) => ({ ...content, uri: `skill://bench/assets/${content.name}`, mimeType: undefined }));
  const [small] = CONTENTS;
  // Content is read from a file each time, as most resources are. A constant shows our own cost, compared with nothing but the
  // protocol.
  const sides = [
    { name: 'the program, a file of a skill', server: footbridge(skills, 'off'), contents: inSkill, limit: LIMIT },
    { name: 'own server', server: resourceServer(OWN_SERVER, folder), contents: CONTENTS, limit: LIMIT },
    { name: "author's server, SDK v2", server: resourceServer(AUTHOR_V2, folder), contents: CONTENTS, limit: LIMIT },
    { name: "author's server, SDK v1", server: resourceServer(AUTHOR_V1, folder), contents: CONTENTS, limit: LIMIT },
    { name: 'own server, a constant', server: resourceServer(OWN_SERVER, 'memory'), contents: [small] },
    { name: "author's server, SDK v2, a constant", server: resourceServer(AUTHOR_V2, 'memory'), contents: [small] },
  ];
  const rows = [];
  for (const { name, server, contents, limit } of sides) {
    for (const content of contents.filter(isMeasured)) rows.push(...(await measure(workspace, name, server, content, limit)));
  }
  return rows;
}

async function measure(workspace, name, server, content, limit) {
  // A process for each, so that the garbage of a large one does not slow a small one.
  const { client } = await start(workspace, server);
  await check(client, content);
  const { uri, kind } = content;
  const samples = await takeTurns(
    {
      tool: { client, request: () => ['tools/call', { name: 'get_resource', arguments: { uri } }] },
      read: { client, request: () => ['resources/read', { uri }] },
    },
    isSmall(content) ? SMALL_TURNS : LARGE_TURNS,
  );
  await client.close();
  const line = (statistic, of, most) => {
    const [tool, read] = [of(samples.tool), of(samples.read)];
    const measured = `get_resource, ${name}, ${kind}: ${statistic}`;
    return row({
      measure: measured,
      ours: milliseconds(tool),
      other: `resources/read ${milliseconds(read)}`,
      ratio: tool / read,
      limit: most,
    });
  };
  return [line('p95', (each) => percentile(each, 0.95), limit), line('median', median)];
}

function writeSkill(folder) {
  const assets = join(folder, 'bench', 'assets');
  mkdirSync(assets, { recursive: true });
  writeFileSync(join(folder, 'bench', 'SKILL.md'), '---\nname: bench\ndescription: Files to read.\n---\n\nRead them.\n');
  writeContents(assets);
}

/** Checks that both routes return the whole content; a server that returns less would be fast. */
async function check(client, { uri, text, mimeType }) {
  const { result: called } = await client.request('tools/call', { name: 'get_resource', arguments: { uri } });
  const { result: read } = await client.request('resources/read', { uri });
  const same = called.isError !== true && called.content?.[0]?.text === text && read.contents?.[0]?.text === text;
  const { structuredContent } = called;
  const data = mimeType === 'application/json' ? JSON.stringify(structuredContent?.data) : structuredContent?.data?.text;
  const isInText = structuredContent === undefined || structuredContent.data_in_text === true;
  if (!same || !(isInText || data === text)) throw new Error(`Not the content of ${uri}.`);
}
