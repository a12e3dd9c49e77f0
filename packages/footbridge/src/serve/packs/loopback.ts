/** The open routes of packs for a person on this machine, while somebody needs them: a host over stdio has no address. */
import { createServer, type Server } from 'node:http';
import type { Log } from '../../log.js';
import { addressesOf } from '../http/addresses.js';
import { listen } from '../http/listen.js';
import { Refusal, sendRefusal } from '../http/reply.js';
import type { PackRoute, Reach } from './pack.js';
import { answerRoute, routerOf } from './routes.js';

const HOST = '127.0.0.1';

/** Listens from the first `reach` to the last `release`. */
export function loopbackReach(routes: readonly PackRoute[], log: Log): () => Promise<Reach> {
  const open = routes.filter(({ access, needsMcp = false }) => access === 'open' && !needsMcp);
  let listening: Promise<{ server: Server; url: string }> | undefined;
  let holders = 0;
  const leave = async () => {
    if (--holders > 0) return;
    const left = listening;
    // Whoever comes next is not to get what is about to end.
    listening = undefined;
    (await left)?.server.close();
  };
  return async () => {
    holders++;
    listening ??= start(open, log);
    const own = listening;
    try {
      const { url } = await own;
      let left = false;
      const release = () => {
        if (left) return;
        left = true;
        void leave();
      };
      return { url, release };
    } catch (cause) {
      holders--;
      // Another may have begun meanwhile.
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
    // A connection that stayed would outlive the last holder.
    response.setHeader('connection', 'close');
    const answer = async () => {
      if (!addresses.allowsHost(headers.host) || !addresses.isOwnPage(headers.origin, headers.host))
        throw new Refusal(403, 'Pages of elsewhere have no business here.');
      const match = router.find(method, url.split('?')[0] ?? '');
      if (match === undefined) throw new Refusal(404, 'Nothing found at this path.');
      await answerRoute(match, { caller: undefined, isPrivate: true }, request, response);
    };
    answer().catch((cause: unknown) => {
      if (!(cause instanceof Refusal)) log.error(`a page of a pack failed: ${String(cause)}`);
      if (!response.headersSent) sendRefusal(response, cause instanceof Refusal ? cause : new Refusal(500, 'Internal error.'));
    });
  });
  const { port } = await listen(server, HOST, 0);
  // A host that ends us does not wait for a page.
  server.unref();
  return { server, url: `http://${HOST}:${port}` };
}
