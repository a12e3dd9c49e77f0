/** Asks a server whether it requires a login. */
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/server';
import type { RemoteServer } from '../../sources/upstream/options.js';
import { SignInError } from '../../sources/upstream/sign-in/sign-in-error.js';
import { discard, HttpClient } from '../../sources/upstream/transports/http-client.js';
import { networkFailure, statusFailure } from '../../sources/upstream/transports/http-failure.js';
import { type HttpChallenge, standingHeaders } from '../../sources/upstream/transports/http-headers.js';
import { VERSION } from '../../version.js';

const TIMEOUT_MS = 15_000;

/** Undefined where the server answers. Throws a `SignInError` where it cannot be reached. */
export async function probe(server: RemoteServer, authorization: string | undefined): Promise<HttpChallenge | undefined> {
  const url = new URL(server.url);
  const client = await HttpClient.create(url).catch((cause: unknown) => {
    throw new SignInError(networkFailure(url.host, cause).message);
  });
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 'footbridge', version: VERSION } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const headers = [
    ...standingHeaders(server, url),
    ...(authorization === undefined ? [] : ['authorization', authorization]),
    ...['content-type', 'application/json', 'accept', 'application/json, text/event-stream'],
    ...['content-length', String(Buffer.byteLength(body))],
  ];
  const answer = new Promise<HttpChallenge | undefined>((resolve, reject) => {
    client.send(
      { method: 'POST', headers, body, silenceMs: TIMEOUT_MS },
      {
        answered(response) {
          const { headers: received, statusCode: status = 0 } = response;
          const address = response.socket.remoteAddress;
          discard(response);
          if (status === 401) resolve({ status, header: received['www-authenticate'], address });
          else if (status < 300) resolve(undefined);
          else reject(new SignInError(statusFailure(client.host, response).message));
        },
        failed: ({ message }) => reject(new SignInError(message)),
      },
    );
  });
  return answer.finally(() => client.destroy());
}
