/**
 * `fetch` for addresses that a server names: bounded, without redirects to other origins, and never from a public server to a
 * private network.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { BlockList, isIP } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { readBody } from '../transports/http-client.js';
import { networkFailure } from '../transports/http-failure.js';
import { SignInError } from './sign-in-error.js';

const TIMEOUT_MS = 15_000;
const LONGEST_BODY = 256 * 1024;

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6');

/** Mapped IPv4 addresses are checked as IPv4. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** `origin` is the server that names the addresses. One on a private network may name others there. */
export async function fetchFor(origin: URL): Promise<FetchLike> {
  const isInside = (await addressesOf(origin.hostname)).some(isPrivateAddress);
  return async (target, init = {}) => {
    const url = new URL(target);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackName(url.hostname)))
      throw new SignInError(`Its sign-in uses ${url.protocol}//${url.host}, which is not encrypted.`);
    const response = await send(url, init, isInside);
    return new Response(await bodyOf(response, url.host), {
      status: response.statusCode ?? 0,
      headers: headersOf(response),
    });
  };
}

export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function send(url: URL, { body, headers, method = 'GET' }: RequestInit, isInside: boolean): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:';
  const refusal = () =>
    new SignInError(
      `Its sign-in leads to ${url.host}, which is on a private network. A public server must not do that, so it was refused.`,
    );
  return new Promise((resolve, reject) => {
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (!isInside && isIP(literal) !== 0 && isPrivateAddress(literal)) return reject(refusal());
    const request = (secure ? requestSecure : requestPlain)(url, {
      method,
      headers: { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' },
      timeout: TIMEOUT_MS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // The connection is made to the address that was checked.
      lookup: (hostname: string, options: LookupOptions, done: LookupCallback) =>
        lookup(hostname, { ...options, all: true }, (error, addresses) => {
          if (error !== null) return done(error, []);
          if (!isInside && addresses.some(({ address }) => isPrivateAddress(address))) return done(refusal(), []);
          const [first] = addresses;
          if (options.all === true || first === undefined) done(null, addresses);
          else done(null, first.address, first.family);
        }),
    });
    request.on('response', resolve);
    request.on('error', (error) =>
      reject(error instanceof SignInError ? error : new SignInError(networkFailure(url.host, error).message, true)),
    );
    request.end(body === undefined || body === null ? undefined : String(body));
  });
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

function bodyOf(response: IncomingMessage, host: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    readBody(response, LONGEST_BODY, (body) => {
      if ('text' in body) resolve(response.statusCode === 204 || response.statusCode === 304 ? null : body.text);
      else reject(new SignInError(`The answer of ${host} was incomplete or too long.`, true));
    });
  });
}

function headersOf({ headers }: IncomingMessage): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
}

async function addressesOf(hostname: string): Promise<readonly string[]> {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return [name];
  return new Promise((resolve) => {
    lookup(name, { all: true }, (error, addresses) => resolve(error === null ? addresses.map(({ address }) => address) : []));
  });
}
