/** Validates Jira base URLs and issue keys. */
import { isIP } from 'node:net';
import { isInternalAddress } from 'footbridge/pack';
import { Failure } from '../failure.js';

const MAX_LENGTH = 2048;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const LOCALHOST = /(?:^|\.)localhost\.?$/;
const KEY = /^[A-Z][A-Z0-9_]{1,254}-\d{1,18}$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };

export interface JiraUrlPolicy {
  /** If given, only these hosts, each in the form that `jiraHost` accepts. */
  readonly allowed?: readonly string[] | undefined;
  /**
   * Whether only this machine is served. Remote callers may not reach addresses of the server's machine and of its networks, unless
   * `allowed` lists the host (SSRF).
   */
  readonly local: boolean;
}

/** The URL ends with a slash, so that paths can be resolved against it. */
export function jiraBaseUrl(text: string, { allowed, local }: JiraUrlPolicy): URL {
  const trimmed = text.trim();
  // The URL parser drops control characters, and an empty query or fragment.
  if (trimmed.length > MAX_LENGTH || /[\p{Cc}\s]/u.test(trimmed) || !URL.canParse(trimmed)) throw invalid('is not a valid URL');
  if (/[?#]/.test(trimmed)) throw invalid('must not have a query or fragment');
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') throw invalid('must not contain a user name or password');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) throw invalid('must start with https://');
  if (allowed === undefined ? !local && isInternal(url.hostname) : !allowed.some((entry) => matches(url, entry))) throw notAllowed();
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/`;
  return url;
}

/**
 * Whether a connection may be made to the address that the host name was resolved to. Undefined where every address is allowed: the name
 * alone decides then.
 */
export function addressCheck({ allowed, local }: JiraUrlPolicy): ((address: string) => boolean) | undefined {
  return allowed === undefined && !local ? (address) => !isInternalAddress(address) : undefined;
}

/** Normalizes `host` or `host:port` as the URL parser does; undefined if invalid. */
export function jiraHost(text: string): string | undefined {
  const [, host = '', port] = /^([^\s/\\?#@:*]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (!URL.canParse(`https://${text}`) || host === '') return undefined;
  const { hostname } = new URL(`https://${host}`);
  return port === undefined ? hostname : `${hostname}:${Number(port)}`;
}

export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Normalizes a key such as `abc-123` to upper case. */
export function issueKey(text: string): string {
  const key = text.trim().toUpperCase();
  if (KEY.test(key)) return key;
  throw new Failure('validation_error', 'Invalid Jira issue key.', 'Pass the key as Jira shows it, such as ABC-123.');
}

/** An entry without a port matches the default port only. */
function matches({ host, hostname, port, protocol }: URL, entry: string): boolean {
  const known = jiraHost(entry);
  return known === host || known === `${hostname}:${port || DEFAULT_PORTS[protocol]}`;
}

function isInternal(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? LOCALHOST.test(hostname) : isInternalAddress(address);
}

/** For a host name or address that is not allowed. */
export function notAllowed(): Failure {
  const action = 'Use a Jira that the operator allows, or ask the operator to allow this one.';
  return new Failure('validation_error', 'This server is not allowed to connect to that Jira.', action);
}

function invalid(problem: string): Failure {
  const action = 'Pass the URL that the browser shows for Jira, up to but not including /browse, such as https://jira.example.com.';
  return new Failure('validation_error', `The Jira URL ${problem}.`, action);
}
