/**
 * Agents for outgoing HTTP requests. They use the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, the authorities in
 * SSL_CERT_FILE and NODE_EXTRA_CA_CERTS, and the client certificate in FOOTBRIDGE_CLIENT_CERT.
 */
import { readFile } from 'node:fs/promises';
import { type AgentOptions, Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { SecureContext } from 'node:tls';
import { ProxyError } from './proxy-error.js';

/** A network setting of the environment is invalid. The message names the variable. */
export class NetworkSettingsError extends Error {}

/** Why a request failed on its way to the server; undefined where the network settings are not the reason. */
export function networkProblem(error: unknown): string | undefined {
  return error instanceof ProxyError || error instanceof NetworkSettingsError ? error.message : undefined;
}

const PROXIES = ['https_proxy', 'http_proxy', 'all_proxy'];
const AUTHORITIES = 'SSL_CERT_FILE';
/** Node reads it too, but an agent with its own authorities uses only those. */
const EXTRA_AUTHORITIES = 'NODE_EXTRA_CA_CERTS';
const CERTIFICATE = 'FOOTBRIDGE_CLIENT_CERT';
const KEY = 'FOOTBRIDGE_CLIENT_KEY';
const PASSPHRASE = 'FOOTBRIDGE_CLIENT_KEY_PASSPHRASE';

/** Throws a `NetworkSettingsError`. */
export async function outgoingAgent(url: URL, options: AgentOptions = {}): Promise<PlainAgent> {
  const proxy = await proxyFor(url);
  const secureContext = url.protocol === 'https:' || proxy?.protocol === 'https:' ? await customContext() : undefined;
  const all = secureContext === undefined ? options : { ...options, secureContext };
  if (proxy !== undefined) return (await import('./proxy-agent.js')).proxyAgent(url, proxy, all);
  return url.protocol === 'https:' ? new SecureAgent(all) : new PlainAgent(all);
}

/** Undefined where requests to this URL are sent directly. */
export async function proxyFor(url: URL): Promise<URL | undefined> {
  const names = PROXIES.flatMap((name) => [name, name.toUpperCase()]).filter((name) => process.env[name]);
  if (names.length === 0) return undefined;
  const { getProxyForUrl } = await import('proxy-from-env');
  const found = getProxyForUrl(url.href);
  if (found === '') return undefined;
  // Without a scheme, the library takes that of the URL; proxies are usually reached by http.
  const proxy = names.some((name) => process.env[name] === found) ? found : found.replace(/^https:/, 'http:');
  if (!URL.canParse(proxy) || !/^https?:$/.test(new URL(proxy).protocol))
    throw new NetworkSettingsError(`${names.join(' or ')} has no valid address of an HTTP proxy, such as http://proxy.example.org:3128.`);
  return new URL(proxy);
}

let context: { readonly settings: string; readonly made: Promise<SecureContext> } | undefined;

/** Created once, since parsing all authorities takes time. Undefined without settings. */
function customContext(): Promise<SecureContext | undefined> {
  const { [AUTHORITIES]: authorities, [CERTIFICATE]: certificate, [KEY]: key, [PASSPHRASE]: passphrase } = process.env;
  if (!authorities && !certificate && !key) return Promise.resolve(undefined);
  const settings = JSON.stringify([authorities, certificate, key, passphrase]);
  if (context?.settings !== settings) context = { settings, made: makeContext() };
  return context.made;
}

async function makeContext(): Promise<SecureContext> {
  const { createSecureContext, rootCertificates } = await import('node:tls');
  const [authorities, extra, cert, key] = await Promise.all([AUTHORITIES, EXTRA_AUTHORITIES, CERTIFICATE, KEY].map(fileIn));
  if ((cert === undefined) !== (key === undefined)) throw new NetworkSettingsError(`Set both ${CERTIFICATE} and ${KEY}, or neither.`);
  const added = [authorities, extra].filter((each) => each !== undefined);
  try {
    return createSecureContext({
      ca: [...rootCertificates, ...added],
      ...(cert !== undefined && { cert, key, passphrase: process.env[PASSPHRASE] }),
    });
  } catch {
    throw new NetworkSettingsError(
      `The certificates cannot be used. ${AUTHORITIES}, ${CERTIFICATE} and ${KEY} must name PEM files; a key with a passphrase needs ${PASSPHRASE}.`,
    );
  }
}

async function fileIn(variable: string): Promise<string | undefined> {
  const file = process.env[variable];
  if (!file) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new NetworkSettingsError(`The file that ${variable} names cannot be read.`);
  }
}
