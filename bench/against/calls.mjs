// Calls of `skill` over stdio and HTTP, in both eras.
import { connect } from '../client.mjs';
import { open } from '../http/connection.mjs';
import { beginSession, ENVELOPE, legacy, modern } from '../http/requests.mjs';
import { footbridgeHttp, startHttp, startWorker } from '../http/servers.mjs';
import { IN_FLIGHT } from '../load-rows.mjs';
import { footbridge, start } from '../servers.mjs';
import { httpLoad, loadRows, stdioLoad } from './load.mjs';
import { takeRounds } from './rounds.mjs';

const ROUNDS = { turns: 8, least: 6 };

export async function compareStdio(workspace, builds) {
  const { folder, names } = await workspace.skills(100);
  const eras = [
    { era: '2025', meta: {}, begin: async (server) => (await start(workspace, server)).client },
    // A request of 2026-07-28 needs no handshake.
    { era: '2026', meta: { _meta: ENVELOPE }, begin: async (server) => connect(workspace, server) },
  ];
  const rows = [];
  for (const { era, meta, begin } of eras) {
    const requests = names.map((name) => ['tools/call', { name: 'skill', arguments: { name }, ...meta }]);
    const opened = async ({ command }) => {
      const client = await begin(footbridge(folder, 'off', command));
      return { turn: await stdioLoad(client, requests), close: () => client.close() };
    };
    rows.push(...(await takeRounds(builds, loadRows(`skill over stdio, ${era}`), { open: opened, ...ROUNDS })));
  }
  return rows;
}

export async function compareHttp(workspace, builds) {
  const { folder, names } = await workspace.skills(100);
  const name = names[0];
  const call = { name: 'skill', arguments: { name } };
  const kinds = [
    { kind: '2026', requests: () => [modern('tools/call', call)] },
    { kind: '2025 in sessions', requests: (port) => inSessions(port, call) },
    { kind: '2025 without a session', requests: () => [legacy('tools/call', call)] },
  ];
  const callers = startWorker(workspace, 'callers.mjs');
  const rows = [];
  for (const { kind, requests } of kinds) {
    const opened = async ({ command }) => {
      const server = await startHttp(workspace, footbridgeHttp(folder, undefined, command));
      return { turn: await httpLoad(server, callers, await requests(server.port), `# ${name}`), close: server.close };
    };
    rows.push(...(await takeRounds(builds, loadRows(`skill over HTTP, ${kind}`), { open: opened, ...ROUNDS })));
  }
  await callers.close();
  return rows;
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
