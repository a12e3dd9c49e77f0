// A wrapped server: calls in each direction, and its start.

import { open } from '../http/connection.mjs';
import { beginSession, legacy } from '../http/requests.mjs';
import { startHttp, startWorker } from '../http/servers.mjs';
import { IN_FLIGHT } from '../load-rows.mjs';
import { fillCache, start } from '../servers.mjs';
import { direct, directHttp, httpToStdio, stdioToHttp, stdioToStdio } from '../wrap/ways.mjs';
import { httpLoad, loadRows, stdioLoad } from './load.mjs';
import { takeRounds } from './rounds.mjs';
import { compareStarts } from './starts.mjs';

const ROUNDS = { turns: 8, least: 6 };
const ECHO = { name: 'echo', arguments: { message: 'a message' } };
const ANSWER = 'Echo: a message';

export async function compareWrap(workspace, builds) {
  const callers = startWorker(workspace, 'callers.mjs');
  const upstream = await startHttp(workspace, directHttp);

  const overStdio = async (server) => {
    const { client } = await start(workspace, server);
    return { turn: await stdioLoad(client, [['tools/call', ECHO]]), close: () => client.close() };
  };
  const overHttp = async (server) => ({
    turn: await httpLoad(server, callers, await inOneSession(server.port), ANSWER),
    close: server.close,
  });
  // The direct connection takes its turns with both sides, so that what wrapping adds is a difference within one round.
  const ways = {
    'stdio to stdio': {
      wrapped: ({ command }) => overStdio(stdioToStdio.ours(workspace.folder('cache'), command)),
      unwrapped: () => overStdio(direct),
    },
    'stdio to HTTP': {
      wrapped: ({ command }) => overStdio(stdioToHttp.ours(upstream.port, workspace.folder('cache'), command)),
      unwrapped: async () => ({ ...(await overHttp(upstream)), close() {} }),
    },
    'HTTP to stdio': {
      wrapped: async ({ command }) => overHttp(await startHttp(workspace, httpToStdio.ours(workspace.folder('cache'), command))),
      unwrapped: async () => ({ ...(await overHttp(upstream)), close() {} }),
    },
  };
  const rows = [];
  for (const [way, { wrapped, unwrapped }] of Object.entries(ways)) {
    const what = `wrap, ${way}`;
    const added = { added: { measure: `${what}, one at a time: added at p50`, unit: 'added', rough: true } };
    const both = async (build) => {
      const [side, floor] = [await wrapped(build), await unwrapped()];
      return {
        async turn() {
          const [sample, { p50 }] = [await side.turn(), await floor.turn()];
          return { ...sample, added: sample.p50 - p50 };
        },
        close: () => Promise.all([side.close(), floor.close()]),
      };
    };
    rows.push(...(await takeRounds(builds, { ...loadRows(what), ...added }, { open: both, ...ROUNDS })));
  }
  await Promise.all([callers.close(), upstream.close()]);
  return rows;
}

export async function compareWrapStart(workspace, builds) {
  const complete = (tools) => tools.some(({ name }) => name === 'echo');
  const caches = {};
  for (const { name, command } of Object.values(builds)) {
    caches[name] = await fillCache(workspace, (cache) => stdioToStdio.ours(cache, command));
  }
  return compareStarts(workspace, builds, [
    {
      measure: 'wrap, start: the first ever',
      server: ({ command }) => stdioToStdio.ours(workspace.folder('cache'), command),
      check: complete,
    },
    { measure: 'wrap, start: a later one', server: ({ name, command }) => stdioToStdio.ours(caches[name], command), check: complete },
  ]);
}

async function inOneSession(port) {
  const connection = await open(port);
  const session = await beginSession(connection);
  connection.close();
  return Array.from({ length: IN_FLIGHT }, (_, index) => legacy('tools/call', ECHO, session, index + 1));
}
