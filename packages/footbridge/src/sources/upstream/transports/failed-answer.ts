/** Error answers of a transport, in place of the server's. */
import type { Fields } from '../../../json.js';
import type { UpstreamFailure } from '../failure.js';

/** The code for a failure between client and server. */
const CONNECTION_ERROR = -32_000;

export function failedAnswer(id: unknown, { kind, message, status }: UpstreamFailure & { readonly status?: number }): Fields {
  const data = status === undefined ? { kind } : { kind, httpStatus: status };
  return { jsonrpc: '2.0', id, error: { code: CONNECTION_ERROR, message, data } };
}
