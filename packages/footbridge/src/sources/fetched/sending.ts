/** One request of a download, through the network settings of the environment. */
import { echo } from '../../errors.js';
import { networkProblem } from '../../outgoing/agent.js';
import { BodyTooLongError, outgoingFetch } from '../../outgoing/fetch.js';
import { leadsInside, publicLookup } from '../../outgoing/public-only.js';
import { FETCH_BOUNDS } from './bounds.js';
import { FetchError } from './fetch-error.js';

interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly mayBeInside: boolean;
  readonly signal: AbortSignal;
}

/** Throws a `FetchError` if there is no response, or if it exceeds the limit. A redirect is a response. */
export async function send(url: URL, { headers, mayBeInside, signal }: Sending): Promise<Response> {
  const refusal = () =>
    unavailable(url, 'it is on a private network, and a public server or a file that is not trusted must not lead there');
  const timeout = AbortSignal.timeout(FETCH_BOUNDS.requestMs);
  try {
    if (!mayBeInside && (await leadsInside(url))) throw refusal();
    return await outgoingFetch(url, {
      headers,
      signal: AbortSignal.any([signal, timeout]),
      longestBody: FETCH_BOUNDS.download,
      ...(mayBeInside ? {} : { lookup: publicLookup(refusal) }),
    });
  } catch (cause) {
    if (cause instanceof FetchError) throw cause;
    signal.throwIfAborted();
    if (cause instanceof BodyTooLongError) throw unavailable(url, `it has more than ${FETCH_BOUNDS.download / 1024 / 1024} MiB`);
    if (timeout.aborted) throw unavailable(url, 'it did not answer in time');
    throw unavailable(url, networkProblem(cause) ?? 'the server cannot be reached');
  }
}

export function unavailable({ href }: URL, reason: string): FetchError {
  return new FetchError(`${echo(href)} cannot be downloaded: ${reason}.`.replace(/\.\.$/, '.'), 'Check the address and the network.');
}
