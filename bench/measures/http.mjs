// Calls over HTTP with 32 in flight, against the SDK's own handlers and against plain Node that responds with JSON.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askOnce, open } from '../http/connection.mjs';
import { beginSession, legacy, modern } from '../http/requests.mjs';
import { footbridgeHttp, peerHttp, protectedFolder, startHttp, startWorker } from '../http/servers.mjs';
import { IN_FLIGHT, rate, time } from '../load-rows.mjs';
import { fasterAtLeast, ratioAtMost, row } from '../report.mjs';
import { interleave } from '../statistics.mjs';

const ROUNDS = 8;
const ROUND_MS = 700;
const TOKEN = 'a-token-of-the-benchmark';
/** The preferred length of a call's text. */
const TEXT_LENGTH = 2000;

export async function measureHttp(workspace) {
  const { folder, names } = await workspace.skills(100);
  const ours = await startHttp(workspace, footbridgeHttp(folder));
  const guarded = await startHttp(
    workspace,
    footbridgeHttp(folder, protectedFolder(workspace, [TOKEN], { callsPerMinute: 1e9, burst: 1e9 })),
  );
  const { call, description, text } = await chooseCall(ours.port, names);
  const uri = `skill://${call.arguments.name}/SKILL.md`;
  const read = (await ask(ours.port, modern('resources/read', { uri }))).result.contents[0].text;

  const write = (name, content) => {
    const file = join(workspace.folder('peer'), `${name}.json`);
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const tool = write('tool', { text, description });
  const peers = await Promise.all([
    startHttp(workspace, peerHttp('http-sdk', tool)),
    startHttp(workspace, peerHttp('http-sdk', write('resource', { text: read, uri }))),
    startHttp(workspace, peerHttp('http-session', tool)),
    startHttp(workspace, peerHttp('http-session', tool, 'json')),
    startHttp(workspace, peerHttp('http-bare', tool)),
  ]);
  const [sdk, sdkResource, sessions, jsonSessions, bare] = peers;
  const callers = startWorker(workspace, 'callers.mjs');

  const side =
    ({ port }, requests, expected) =>
    async () => {
      const result = await callers.run({ port, requests, expected, connections: IN_FLIGHT, milliseconds: ROUND_MS });
      if (result.failed > 0) throw new Error(`${result.failed} calls failed: ${result.failure}`);
      return result;
    };
  /** Both sides respond with the same text, so one check fits all. */
  const answer = JSON.stringify(text);
  const modernCall = [modern('tools/call', call)];
  const guardedCall = [modern('tools/call', call, { authorization: `Bearer ${TOKEN}` })];
  const isGuarded = (await askOnce(guarded.port, modernCall[0])).status === 401;
  const sessionCalls = async (server) => side(server, await inSessions(server.port, call), answer);
  const one = await interleave(ROUNDS, {
    ours: side(ours, modernCall, answer),
    sdk: side(sdk, modernCall, answer),
    bare: side(bare, modernCall, answer),
    ...(isGuarded ? { guarded: side(guarded, guardedCall, answer) } : {}),
  });
  const two = await interleave(ROUNDS, {
    ours: await sessionCalls(ours),
    sdk: await sessionCalls(sessions),
    json: await sessionCalls(jsonSessions),
  });
  const three = await interleave(ROUNDS, {
    ours: side(ours, [legacy('tools/call', call)], answer),
    sdk: side(sdk, [legacy('tools/call', call)], answer),
  });
  const four = await interleave(ROUNDS, {
    ours: side(ours, [modern('tools/list')], names[0]),
    sdk: side(sdk, [modern('tools/list')], JSON.stringify(description)),
  });
  const five = await interleave(ROUNDS, {
    ours: side(ours, [modern('resources/read', { uri })], JSON.stringify(read)),
    sdk: side(sdkResource, [modern('resources/read', { uri })], JSON.stringify(read)),
  });
  await Promise.all([ours, guarded, ...peers, callers].map((each) => each.close()));

  return [
    rate('HTTP, a call', one.ours, 'createMcpHandler', one.sdk, fasterAtLeast(3)),
    time('HTTP, a call: p50', one.ours, 'createMcpHandler', one.sdk, ratioAtMost(0.6)),
    rate('HTTP, a call, against bare Node', one.ours, 'bare JSON', one.bare),
    isGuarded
      ? rate('HTTP, a call with a token', one.guarded, 'without one', one.ours)
      : row({ measure: 'HTTP, a call with a token', ours: 'not measured: no token was asked for' }),
    rate('HTTP, a call in a session', two.ours, "SDK's session transport", two.sdk, fasterAtLeast(1.5)),
    time('HTTP, a call in a session: p50', two.ours, "SDK's session transport", two.sdk),
    rate('HTTP, a call in a session, without streams', two.ours, "SDK's session transport, JSON", two.json),
    rate('HTTP, a call of an older client without a session', three.ours, 'createMcpHandler', three.sdk),
    rate('HTTP, tools/list, 100 skills', four.ours, 'createMcpHandler, as long a list', four.sdk),
    rate('HTTP, resources/read', five.ours, 'createMcpHandler', five.sdk),
  ];
}

/** The skill whose text is nearest to the preferred length, and the descriptions of all tools. */
async function chooseCall(port, names) {
  const answers = [];
  for (const name of names) {
    const call = { name: 'skill', arguments: { name } };
    const { result } = await ask(port, modern('tools/call', call));
    answers.push({ call, text: result.content[0].text });
  }
  const distance = ({ text }) => Math.abs(text.length - TEXT_LENGTH);
  answers.sort((one, other) => distance(one) - distance(other));
  const { result } = await ask(port, modern('tools/list'));
  return { ...answers[0], description: JSON.stringify(result.tools) };
}

/** The same call in as many sessions as there are calls in flight. */
async function inSessions(port, call) {
  const requests = [];
  for (let index = 0; index < IN_FLIGHT; index++) {
    const connection = await open(port);
    requests.push(legacy('tools/call', call, await beginSession(connection)));
    connection.close();
  }
  return requests;
}

async function ask(port, request) {
  const { status, body } = await askOnce(port, request);
  if (status !== 200) throw new Error(`Status ${status}: ${body.toString('utf8', 0, 200)}`);
  return JSON.parse(body.toString('utf8'));
}
