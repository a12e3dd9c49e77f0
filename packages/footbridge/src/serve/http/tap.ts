/**
 * Seeing each request with its answer, content and all: for somebody who tries out what they wrote, on their own machine. What
 * metrics, traces and logs are told is an observer's part, and has no content.
 */
import type { Transport } from '@modelcontextprotocol/server';
import type { Fields } from '../../json.js';

/** A request as it came. */
export interface Asked {
  readonly method: string;
  readonly params?: Fields | undefined;
  /** The session or stream that it belongs to, where there is one. */
  readonly sessionId?: string | undefined;
}

/** Called when a request begins; what it returns with the whole answer. One that is called off has none. */
export type Tap = (asked: Asked) => (answer: object) => void;

/** A transport whose requests are seen; to be called before a server connects to it. */
export function tapped<T extends Transport>(transport: T, tap: Tap | undefined, sessionId?: string): T {
  if (tap === undefined) return transport;
  const running = new Map<string | number, (answer: object) => void>();
  const { send, start } = transport;
  transport.start = async () => {
    // The server has set what it wants to hear, and only now is there something to stand in front of.
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      if ('method' in message && 'id' in message) running.set(message.id, tap({ ...message, sessionId }));
      onmessage?.(message, extra);
    };
    await start.call(transport);
  };
  transport.send = (message, options) => {
    if (!('method' in message) && message.id !== undefined) {
      running.get(message.id)?.(message);
      running.delete(message.id);
    }
    return send.call(transport, message, options);
  };
  return transport;
}
