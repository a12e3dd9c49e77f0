/** The memory that the subscriptions of one caller, and of all callers, may take. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Bytes of the subscriptions of one connection, or of one `subscriptions/listen`. */
export const MAX_SUBSCRIBED_BYTES = 1024 * 1024;
/** Of one caller, and of all. */
const MAX_OF_CALLER = 4 * MAX_SUBSCRIBED_BYTES;
const MAX_OF_ALL = 16 * MAX_SUBSCRIBED_BYTES;

export class SubscriptionQuota {
  readonly #taken = new Map<string, number>();
  #total = 0;

  /** Throws a protocol error if the caller, or all callers together, would exceed the quota. */
  take(callerId: string, bytes: number): void {
    const taken = this.#taken.get(callerId) ?? 0;
    if (taken + bytes > MAX_OF_CALLER)
      throw refused(`Your subscriptions would take more than ${MAX_OF_CALLER} bytes. Unsubscribe from some resources first.`);
    if (this.#total + bytes > MAX_OF_ALL)
      throw refused(`The subscriptions of all callers take ${this.#total} of ${MAX_OF_ALL} bytes. Try again later.`);
    this.add(callerId, bytes);
  }

  /** Counts bytes that are already in use; negative when they are released. */
  add(callerId: string, bytes: number): void {
    const taken = (this.#taken.get(callerId) ?? 0) + bytes;
    if (taken > 0) this.#taken.set(callerId, taken);
    else this.#taken.delete(callerId);
    this.#total += bytes;
  }
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
}
