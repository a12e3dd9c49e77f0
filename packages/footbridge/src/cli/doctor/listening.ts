/** Whether `serve --http` could listen at an address, and what uses the port if it cannot. */
import { createServer } from 'node:net';
import { systemCode } from '../../errors.js';
import { isFields } from '../../json.js';
import { type Address, cannotListen, refuseOpenDoors } from '../commands/serve-http.js';
import type { Config } from '../config/index.js';
import { type Finding, finding, type Section } from './finding.js';

export interface ListeningReport {
  readonly address: string;
  readonly state: 'free' | 'footbridge' | 'taken' | 'impossible' | 'open';
}

/** For the health check of the program that uses the port. */
const ANSWER_MS = 2000;

export async function checkListening(address: Address, config: Config): Promise<Section<ListeningReport>> {
  const name = `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  const section = (state: ListeningReport['state'], ...findings: readonly Finding[]) => ({ data: { address: name, state }, findings });
  try {
    refuseOpenDoors(config, { http: address });
  } catch (error) {
    return section('open', finding('error', 'http-open', name, error instanceof Error ? error.message : String(error)));
  }
  const cause = await whyNot(address);
  if (cause === undefined) return section('free');
  if (systemCode(cause) !== 'EADDRINUSE') {
    const explained = cannotListen(cause, address);
    return section(
      'impossible',
      finding('error', 'http-address', name, explained instanceof Error ? explained.message : String(explained)),
    );
  }
  const base = `http://${name.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:')}`;
  if (await isFootbridge(base)) {
    const action = `Connect hosts to it at ${base}/mcp, or choose another port with --http.`;
    return section('footbridge', finding('error', 'http-taken', name, `Another Footbridge listens on port ${address.port}.`, { action }));
  }
  return section('taken', finding('error', 'http-taken', name, `Port ${address.port} is in use by another program.`));
}

/** The error of listening there; undefined where that works. */
function whyNot({ host, port }: Address): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

async function isFootbridge(base: string): Promise<boolean> {
  const [health, readiness] = await Promise.all([statusAt(`${base}/healthz`), statusAt(`${base}/readyz`)]);
  return health === 'ok' && (readiness === 'ready' || readiness === 'not ready');
}

async function statusAt(url: string): Promise<unknown> {
  try {
    const answer: unknown = await (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' })).json();
    return isFields(answer) ? answer['status'] : undefined;
  } catch {
    return undefined;
  }
}
