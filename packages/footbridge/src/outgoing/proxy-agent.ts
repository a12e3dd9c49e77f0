/** Connections through an HTTP proxy, by CONNECT. Loaded only where there is one. */
import type { Agent, AgentOptions, ClientRequest } from 'node:http';
import type { SecureContext } from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { systemCode } from '../errors.js';
import { ProxyError } from './proxy-error.js';

const CONNECT_MS = 15_000;

export function proxyAgent(target: URL, proxy: URL, options: AgentOptions & { readonly secureContext?: SecureContext }): Agent {
  const agent = new HttpsProxyAgent(proxy, options);
  const { secureContext } = options;
  agent.protocol = target.protocol;
  // For the connection to the server, which is inside that to the proxy.
  Object.assign(agent.options, { secureEndpoint: target.protocol === 'https:', ...(secureContext && { secureContext }) });
  const connect = agent.connect.bind(agent);
  agent.connect = (request, settings) => reached(proxy, request, () => connect(request, settings));
  return agent;
}

async function reached<T>({ host }: URL, request: ClientRequest, connect: () => Promise<T>): Promise<T> {
  let status = 200;
  request.once('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
    status = statusCode;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProxyError(`The proxy ${host} did not answer in time.`)), CONNECT_MS).unref();
  });
  try {
    const socket = await Promise.race([connect(), late]);
    if (status === 407) throw new ProxyError(`The proxy ${host} requires a user and a password (HTTP 407).`);
    if (status !== 200) throw new ProxyError(`The proxy ${host} refused the connection (HTTP ${status}).`);
    return socket;
  } catch (cause) {
    throw cause instanceof ProxyError
      ? cause
      : new ProxyError(`The proxy ${host} cannot be reached (${systemCode(cause) ?? 'no answer'}).`);
  } finally {
    clearTimeout(timer);
  }
}
