/** Intercepts the messages between a transport and the server that connects to it. */
import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/server';

export interface InterceptedTransport {
  toHost(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
  toServer(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void;
}

/** Receives every message, in both directions. */
export interface Interceptor {
  fromHost(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void;
  fromServer(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void>;
  close(): void;
}

/** To be called before the server connects. Returns a function that undoes it. */
export function intercept(transport: Transport, make: (intercepted: InterceptedTransport) => Interceptor): () => void {
  const { send: ownSend, start: ownStart } = transport;
  const send = transport.send.bind(transport);
  const start = transport.start.bind(transport);
  let deliver: (message: JSONRPCMessage, extra: MessageExtraInfo | undefined) => void = () => {};
  const interceptor = make({ toHost: send, toServer: (message, extra) => deliver(message, extra) });
  transport.send = (message, options) => interceptor.fromServer(message, options);
  // The server sets its handlers right before it starts the transport.
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
