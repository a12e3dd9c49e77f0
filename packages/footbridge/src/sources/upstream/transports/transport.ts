/** The way to a server: messages there and back, each as it is. */
import type { Fields } from '../../../json.js';
import type { UpstreamFailure } from '../failure.js';

export interface TransportEvents {
  /** A message of the server's. Its form is not checked beyond being an object. */
  receive(message: Fields): void;
  /** The connection is over, once. */
  closed(failure: UpstreamFailure): void;
}

export interface UpstreamTransport {
  /** Resolves when messages can be sent. Rejects with an `UpstreamError`. */
  start(events: TransportEvents): Promise<void>;
  /**
   * Sends a message. A request that cannot be delivered is answered by a message with an error, as if by the server.
   * To be called again without waiting.
   */
  send(message: Fields): void;
  /** The revision that was agreed on; over HTTP each request names it. */
  agreed?(protocolVersion: string): void;
  /** Ends the connection, and the server if it was started for it; resolves when all is gone. */
  close(): Promise<void>;
}
