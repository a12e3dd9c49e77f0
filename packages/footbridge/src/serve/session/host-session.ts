/** The state that is kept between the requests of one host. */
import { type JSONRPCRequest, type ProtocolEra, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { HostPeer, HostRequestOptions } from '../../sources/forwarding.js';
import type { Caller } from '../../sources/resource.js';
import { ServerError } from '../../sources/server/channel.js';
import type { RequestScope, Send } from '../dispatch/scope.js';
import { envelopeOf } from '../eras.js';
import type { SdkPeer } from '../sdk/peer.js';
import type { SubscriptionQuota } from './subscription-quota.js';
import type { CallerQuota, HostSubscriptions } from './subscriptions.js';

export interface HostSession {
  /** The resources that the host subscribed to; undefined where there is no connection to notify it on. */
  readonly subscriptions: HostSubscriptions | undefined;
  /** The quota for `subscriptions/listen`, and how many resources one may name. */
  listenLimits(scope: RequestScope): { readonly max: number; readonly quota: CallerQuota };
  /** The lowest level of log messages that a legacy host wants; undefined for all. */
  readonly logLevel: string | undefined;
  setLogLevel(level: string): void;
  /** The SDK's server, for the methods that the dispatcher leaves to it. */
  sdk(era: ProtocolEra): SdkPeer;
  /** The client that sent a request, as upstreams see it. */
  hostOf(request: JSONRPCRequest, era: ProtocolEra, caller: Caller): HostPeer;
  /** `clientInfo.name`: from the request in 2026-07-28, else from `initialize`. */
  clientName(request: JSONRPCRequest, era: ProtocolEra): string | undefined;
  /** Whether a notification passes the log level. */
  wants(method: string, params: Fields | undefined): boolean;
  /** Sends a request to the host. Rejects with a `ServerError` if the host refuses or has no connection. */
  request(method: string, params: Fields | undefined, options: HostRequestOptions | undefined, send: Send): Promise<Fields>;
  /** Called with each handshake, before it is answered. */
  onHandshake(scope: RequestScope): void;
  /** Called with each request that may reach an upstream. */
  onRequest(scope: RequestScope): void;
}

/** The identity of a client: from the envelope of a request, or from `initialize`. */
export interface ClientDetails {
  readonly version: string;
  readonly clientInfo: unknown;
  readonly capabilities: unknown;
}

export const UNKNOWN_CLIENT: ClientDetails = { version: '', clientInfo: undefined, capabilities: undefined };
const UNKNOWN_INFO: Fields = { name: 'unknown', version: '0' };

export function hostFrom(
  key: string,
  era: ProtocolEra,
  { version, clientInfo, capabilities }: ClientDetails,
  back: Pick<HostPeer, 'notify' | 'request'>,
): HostPeer {
  return {
    key,
    era,
    protocolVersion: version,
    clientInfo: isFields(clientInfo) ? clientInfo : UNKNOWN_INFO,
    capabilities: isFields(capabilities) ? capabilities : {},
    notify: back.notify,
    request: back.request,
  };
}

/** The name in the envelope of a modern request. */
export function envelopeName(request: JSONRPCRequest): string | undefined {
  return nameIn(envelopeOf(request).clientInfo);
}

export function nameIn(clientInfo: unknown): string | undefined {
  const name = isFields(clientInfo) ? clientInfo['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

const refuse = (): Promise<never> =>
  Promise.reject(new ServerError(ProtocolErrorCode.MethodNotFound, 'The host has no connection for requests.', undefined));

/** The session of requests without a connection, as over stateless HTTP. One instance serves all of them, and has no state. */
export function statelessSession(sdk: (era: ProtocolEra) => SdkPeer, maxSubscriptions: number, quota: SubscriptionQuota): HostSession {
  const back = { notify() {}, request: refuse };
  return {
    subscriptions: undefined,
    listenLimits: ({ caller, parts: { account } }) => ({ max: maxSubscriptions, quota: { quota, callerId: account?.id ?? caller.id } }),
    logLevel: undefined,
    setLogLevel() {},
    sdk,
    hostOf: (request, era, caller) => hostFrom(caller.id, era, era === 'modern' ? envelopeOf(request) : UNKNOWN_CLIENT, back),
    clientName: (request, era) => (era === 'modern' ? envelopeName(request) : undefined),
    wants: () => true,
    request: refuse,
    onHandshake() {},
    onRequest() {},
  };
}
