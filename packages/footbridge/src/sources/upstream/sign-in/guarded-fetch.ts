/**
 * `fetch` for addresses that a server names: bounded, without redirects to other origins, and never from a public server to a
 * private network.
 */
import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { proxyFor } from '../../../outgoing/agent.js';
import { BodyTooLongError, outgoingFetch } from '../../../outgoing/fetch.js';
import { isInternalAddress } from '../../../outgoing/internal-addresses.js';
import { networkFailure } from '../transports/http-failure.js';
import { SignInError } from './sign-in-error.js';

const TIMEOUT_MS = 15_000;
/** For all requests of one sign-in: a host cancels a call after a minute. */
const TOTAL_MS = 40_000;
const LOOKUP_MS = 5000;
const LONGEST_BODY = 256 * 1024;

/**
 * Whether a server is on a private network, and may name others there. `address` is the one that it answered from: its name may
 * lead elsewhere a moment later.
 */
export async function isOnPrivateNetwork(server: URL, address?: string): Promise<boolean> {
  const isKnown = address !== undefined && (await proxyOf(server)) === undefined;
  const addresses = isKnown ? [address] : await addressesOf(server.hostname);
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
    if (left <= 0) throw new SignInError('Its sign-in takes too long: the servers that it needs answer too slowly. Try again later.', true);
    return send(url, init, isInside, Math.min(TIMEOUT_MS, left));
  };
}

export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

async function send(url: URL, { body, headers, method }: RequestInit, isInside: boolean, timeoutMs: number): Promise<Response> {
  const refusal = () =>
    new SignInError(
      `Its sign-in leads to ${url.host}, which is on a private network. A public server must not do that, so it was refused.`,
    );
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  // A name is resolved by the proxy, where there is one.
  const known = isIP(literal) !== 0 ? [literal] : (await proxyOf(url)) === undefined ? [] : await addressesOf(literal);
  if (!isInside && known.some(isInternalAddress)) throw refusal();
  try {
    return await outgoingFetch(url, {
      method,
      headers,
      body: body === undefined || body === null ? undefined : String(body),
      signal: AbortSignal.timeout(timeoutMs),
      longestBody: LONGEST_BODY,
      // The connection is made to the address that was checked.
      lookup: (hostname, options, done) =>
        lookup(hostname, { ...options, all: true }, (error, addresses) => {
          if (error !== null) return done(error, []);
          if (!isInside && addresses.some(({ address }) => isInternalAddress(address))) return done(refusal(), []);
          const [first] = addresses;
          if (options.all === true || first === undefined) done(null, addresses);
          else done(null, first.address, first.family);
        }),
    });
  } catch (cause) {
    if (cause instanceof SignInError) throw cause;
    if (cause instanceof DOMException && cause.name === 'TimeoutError')
      throw new SignInError(`The server at ${url.host} did not answer in time.`, true);
    if (cause instanceof BodyTooLongError) throw new SignInError(`The answer of ${url.host} was too long.`, true);
    throw new SignInError(networkFailure(url.host, cause).message, true);
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

async function addressesOf(hostname: string): Promise<readonly string[]> {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return [name];
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve([]), LOOKUP_MS).unref();
    lookup(name, { all: true }, (error, addresses) => {
      clearTimeout(late);
      resolve(error === null ? addresses.map(({ address }) => address) : []);
    });
  });
}
