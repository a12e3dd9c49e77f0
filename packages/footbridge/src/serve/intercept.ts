/** Intercepts the messages between a transport and the server that connects to it. */
import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/server';

/** The two ends of a connection. */
export interface InterceptedTransport {
  toHost(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
  toServer(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void;
}

/** Gets every message, in both directions. */
export interface Interceptor {
  fromHost(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void;
  fromServer(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void>;
  close(): void;
}

/** Call it before the server connects. Returns the way to undo it. */
export function intercept(transport: Transport, make: (intercepted: InterceptedTransport) => Interceptor): () => void {
  const { send: ownSend, start: ownStart } = transport;
  const send = transport.send.bind(transport);
  const start = transport.start.bind(transport);
  let deliver: (message: JSONRPCMessage, extra: MessageExtraInfo | undefined) => void = () => {};
  const interceptor = make({ toHost: send, toServer: (message, extra) => deliver(message, extra) });
  transport.send = (message, options) => interceptor.fromServer(message, options);
  // The server sets its handlers and then starts the transport: only now can they be wrapped.
  transport.start = () => {
    const { onmessage, onclose } = transport;
    deliver = (message, extra) => onmessage?.(message, extra);
    transport.onmessage = (message, extra) => interceptor.fromHost(message, extra);
    transport.onclose = () => {
      interceptor.close();
      onclose?.();
    };
    return start();
  };
  return () => Object.assign(transport, { send: ownSend, start: ownStart });
}
