/**
 * `fetch` for untrusted URLs of a server: with limits, without redirects to other origins, and never from a public server to a
 * private network.
 */
import type { FetchLike } from '@modelcontextprotocol/client';
import { proxyFor } from '../../../outgoing/agent.js';
import { BodyTooLongError, outgoingFetch } from '../../../outgoing/fetch.js';
import { isInternalAddress } from '../../../outgoing/internal-addresses.js';
import { isLoopbackName } from '../../../outgoing/loopback-name.js';
import { leadsInside, publicLookup, resolvedAddresses } from '../../../outgoing/public-only.js';
import { networkFailure } from '../transports/http-failure.js';
import { SignInError } from './sign-in-error.js';

const TIMEOUT_MS = 15_000;
/** For all requests of one sign-in: a host cancels a call after a minute. */
const TOTAL_MS = 40_000;
const LONGEST_BODY = 256 * 1024;

/**
 * Whether a server is on a private network, and may name others there. `address` is the one that it answered from: its name may
 * lead elsewhere a moment later.
 */
export async function isOnPrivateNetwork(server: URL, address?: string): Promise<boolean> {
  const isKnown = address !== undefined && (await proxyOf(server)) === undefined;
  const addresses = isKnown ? [address] : await resolvedAddresses(server.hostname);
  return addresses.length > 0 && addresses.every(isInternalAddress);
}

/** `isInside`: whether the server that names the addresses is on a private network. */
export function fetchFor(isInside: boolean): FetchLike {
  const end = Date.now() + TOTAL_MS;
  return async (target, init = {}) => {
    const url = new URL(target);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackName(url.hostname)))
      throw new SignInError(`Its sign-in uses ${url.protocol}//${url.host}, which is not encrypted.`);
    const left = end - Date.now();
    if (left <= 0)
      throw new SignInError('Its sign-in takes too long: the servers that it needs answer too slowly. Try again later.', {
        retryable: true,
      });
    return send(url, init, isInside, Math.min(TIMEOUT_MS, left));
  };
}

async function send(url: URL, { body, headers, method }: RequestInit, isInside: boolean, timeoutMs: number): Promise<Response> {
  const refusal = () =>
    new SignInError(
      `Its sign-in leads to ${url.host}, which is on a private network. A public server must not do that, so it was refused.`,
    );
  await proxyOf(url);
  if (!isInside && (await leadsInside(url))) throw refusal();
  try {
    return await outgoingFetch(url, {
      method,
      headers,
      body: body === undefined || body === null ? undefined : String(body),
      signal: AbortSignal.timeout(timeoutMs),
      longestBody: LONGEST_BODY,
      ...(isInside ? {} : { lookup: publicLookup(refusal) }),
    });
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    if (cause instanceof DOMException && cause.name === 'TimeoutError')
      throw new SignInError(`The server at ${url.host} did not answer in time.`, { retryable: true });
    if (cause instanceof BodyTooLongError) throw new SignInError(`The answer of ${url.host} was too long.`, { retryable: true });
    throw new SignInError(networkFailure(url.host, cause).message, { retryable: true });
  }
}

/** Throws a `SignInError` where the settings cannot be used. */
async function proxyOf(url: URL): Promise<URL | undefined> {
  try {
    return await proxyFor(url);
  } catch (cause) {
    throw new SignInError(networkFailure(url.host, cause).message);
  }
}
