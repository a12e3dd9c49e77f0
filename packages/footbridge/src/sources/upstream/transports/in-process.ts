/** The transport to a server in this process. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { isFields } from '../../../json.js';
import type { ServerObject } from '../options.js';
import type { UpstreamTransport } from './transport.js';

export function inProcessTransport({ server }: ServerObject): UpstreamTransport {
  let closing = false;
  const far: Transport = {
    async start() {},
    async send() {},
    async close() {
      far.onclose?.();
    },
  };
  return {
    async start({ receive, closed }) {
      far.send = async (message) => {
        // A copy, so that the receiver cannot modify the server's objects.
        const sent: unknown = JSON.parse(JSON.stringify(message));
        queueMicrotask(() => isFields(sent) && !closing && receive(sent));
      };
      far.close = async () => {
        far.onclose?.();
        if (!closing) closed({ kind: 'disconnected', message: 'The server closed the connection.' });
        closing = true;
      };
      await server.connect(far);
    },
    send(message) {
      const sent = JSON.parse(JSON.stringify(message)) as JSONRPCMessage;
      queueMicrotask(() => far.onmessage?.(sent));
    },
    async close() {
      if (closing) return;
      closing = true;
      await server.close();
    },
  };
}
