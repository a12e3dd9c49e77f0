/** Serves the open routes of packs on loopback while a pack needs them: over stdio there is no other HTTP server. */
import { createServer, type Server } from 'node:http';
import type { Log } from '../../log.js';
import { addressesOf, listenOn } from '../http/addresses.js';
import { HttpRefusal, sendRefusal } from '../http/reply.js';
import type { PackRoute, RouteAddress } from './pack.js';
import { answerRoute, routerOf } from './routes.js';

const HOST = '127.0.0.1';

/** Listens from the first call to the last `release`. */
export function loopbackAddress(routes: readonly PackRoute[], log: Log): () => Promise<RouteAddress> {
  const open = routes.filter(({ access, needsMcp = false }) => access === 'open' && !needsMcp);
  let listening: Promise<{ server: Server; url: string }> | undefined;
  let holders = 0;
  const leave = async () => {
    if (--holders > 0) return;
    const closing = listening;
    // Before the await, so that the next call does not get a server that is closing.
    listening = undefined;
    (await closing)?.server.close();
  };
  return async () => {
    holders++;
    listening ??= start(open, log);
    const own = listening;
    try {
      const { url } = await own;
      let released = false;
      const release = () => {
        if (!released) void leave();
        released = true;
      };
      return { url, release };
    } catch (cause) {
      holders--;
      // Another start may have replaced it.
      if (listening === own) listening = undefined;
      throw cause;
    }
  };
}

async function start(routes: readonly PackRoute[], log: Log): Promise<{ server: Server; url: string }> {
  const router = routerOf(routes);
  const addresses = addressesOf({ host: HOST });
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, (request, response) => {
    const { headers, method = '', url = '/' } = request;
    // A kept-alive connection would outlive the last holder.
    response.setHeader('connection', 'close');
    const answer = async () => {
      if (!addresses.allowsHost(headers.host) || !addresses.isOwnPage(headers.origin, headers.host))
        throw new HttpRefusal(403, 'Host or Origin is not allowed.');
      const match = router.find(method, url.split('?')[0] ?? '');
      if (match === undefined) throw new HttpRefusal(404, 'Nothing found at this path.');
      await answerRoute(match, { caller: undefined, isPrivate: true }, request, response);
    };
    answer().catch((cause: unknown) => {
      if (!(cause instanceof HttpRefusal)) log.error(`A pack route failed: ${String(cause)}`);
      if (!response.headersSent) sendRefusal(response, cause instanceof HttpRefusal ? cause : new HttpRefusal(500, 'Internal error.'));
    });
  });
  const { port } = await listenOn(server, HOST, 0);
  // It must not keep the process alive.
  server.unref();
  return { server, url: `http://${HOST}:${port}` };
}
