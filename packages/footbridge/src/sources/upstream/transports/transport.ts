/** A transport to an upstream server. */
import type { Fields } from '../../../json.js';
import type { UpstreamFailure } from '../failure.js';

/** Bytes of a message, which is parsed at once: room for a resource of 16 MiB in base64. */
export const LONGEST_MESSAGE = 24 * 1024 * 1024;

export interface TransportEvents {
  /** A message from the server: an object, not validated further. */
  receive(message: Fields): void;
  /** Called once, when the connection ends. */
  closed(failure: UpstreamFailure): void;
}

export interface UpstreamTransport {
  /** Resolves when messages can be sent. Rejects with an `UpstreamError`. */
  start(events: TransportEvents): Promise<void>;
  /**
   * Sends a message. A request that cannot be delivered is answered by a message with an error, as if by the server.
   * May be called again at once.
   */
  send(message: Fields): void;
  /** The negotiated protocol version, which HTTP requests carry. */
  agreed?(protocolVersion: string): void;
  /** Closes the connection and ends a started server; resolves when it has exited. */
  close(): Promise<void>;
}
