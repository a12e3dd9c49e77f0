/** Connects a transport that carries all messages of a host on one stream: lines, the streams of 2024, an SDK transport in memory. */
import type { Transport } from '@modelcontextprotocol/server';
import { Connection, type ConnectionOptions } from './connection.js';

/** Starts the transport; what it receives is answered until it closes. */
export async function connectTransport(transport: Transport, options: Omit<ConnectionOptions, 'send'>): Promise<Connection> {
  const connection = new Connection({
    ...options,
    send: (message, related) => transport.send(message, related === undefined ? undefined : { relatedRequestId: related }),
  });
  const { onclose } = transport;
  transport.onmessage = (message, extra) => connection.receive(message, extra);
  transport.onclose = () => {
    connection.close();
    onclose?.();
  };
  await transport.start();
  return connection;
}
