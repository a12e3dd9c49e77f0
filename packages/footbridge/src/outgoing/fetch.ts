/** `fetch` through the network settings of the environment, with limits and without redirects. */
import { type IncomingMessage, type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { outgoingAgent } from './agent.js';

export interface OutgoingRequest {
  readonly method?: string | undefined;
  readonly headers?: ConstructorParameters<typeof Headers>[0] | undefined;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** Longer bodies are refused. */
  readonly longestBody: number;
  readonly lookup?: RequestOptions['lookup'];
}

/** The body is longer than allowed. */
export class BodyTooLongError extends Error {}

/** Rejects with the error of the connection, a `BodyTooLongError`, or the reason of the signal. */
export async function outgoingFetch(
  url: URL,
  { body, headers, longestBody, lookup, method = 'GET', signal }: OutgoingRequest,
): Promise<Response> {
  const agent = await outgoingAgent(url);
  signal.throwIfAborted();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
      agent,
      method,
      headers: { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' },
      signal,
      lookup,
    });
    request.on('response', resolve);
    request.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    request.end(body);
  });
  const status = response.statusCode ?? 0;
  const content = await contentOf(response, longestBody, signal);
  return new Response(status === 204 || status === 304 ? null : content, { status, headers: headersOf(response) });
}

async function contentOf(response: IncomingMessage, longest: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > longest) throw new BodyTooLongError(`larger than ${longest} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw cause;
  }
  return Buffer.concat(chunks);
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
}
