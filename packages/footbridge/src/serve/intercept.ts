/** Standing between a transport and the server that connects to it. */
import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/server';

/** The two ends of a connection. */
export interface Wire {
  toHost(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
  toServer(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void;
}

/** Whoever stands between: every message goes through it. */
export interface Between {
  fromHost(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void;
  fromServer(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void>;
  close(): void;
}

/** To be called before the server connects; gives the way to take it out again. */
export function intercept(transport: Transport, make: (wire: Wire) => Between): () => void {
  const { send: ownSend, start: ownStart } = transport;
  const send = transport.send.bind(transport);
  const start = transport.start.bind(transport);
  let deliver: (message: JSONRPCMessage, extra: MessageExtraInfo | undefined) => void = () => {};
  const between = make({ toHost: send, toServer: (message, extra) => deliver(message, extra) });
  transport.send = (message, options) => between.fromServer(message, options);
  // The server sets what it wants to hear and then starts: only now is there something to stand in front of.
  transport.start = () => {
    const { onmessage, onclose } = transport;
    deliver = (message, extra) => onmessage?.(message, extra);
    transport.onmessage = (message, extra) => between.fromHost(message, extra);
    transport.onclose = () => {
      between.close();
      onclose?.();
    };
    return start();
  };
  return () => Object.assign(transport, { send: ownSend, start: ownStart });
}
