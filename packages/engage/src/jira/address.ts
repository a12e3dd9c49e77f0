/** Where a Jira is, and what one of its issues is called: what a person wrote, in the one form that we use. */
import { BlockList, isIP } from 'node:net';
import { Failure } from '../failure.js';

const MOST_CHARACTERS = 2048;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const LOCALHOST = /(?:^|\.)localhost\.?$/;
const KEY = /^[A-Z][A-Z0-9_]{1,254}-\d{1,18}$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };

/** Loopback, link-local and unspecified addresses: what answers there is the server's own, or its neighbour's, and no Jira of a team. */
const OWN = new BlockList();
OWN.addSubnet('0.0.0.0', 8);
OWN.addSubnet('127.0.0.0', 8);
OWN.addSubnet('169.254.0.0', 16);
OWN.addSubnet('::', 96, 'ipv6');
OWN.addSubnet('fe80::', 10, 'ipv6');

export interface JiraAddresses {
  /** The only ones, if there is such a list: each as `jiraHost` takes it. */
  readonly allowed?: readonly string[] | undefined;
  /** Whether only this machine is served. Others may not have the server look at itself for them, unless its operator allows it. */
  readonly local: boolean;
}

/** Ends with a slash, so that paths can be put behind it. */
export function jiraBaseUrl(text: string, { allowed, local }: JiraAddresses): URL {
  const trimmed = text.trim();
  // A URL would pass over control characters, and over a mark with nothing behind it.
  if (trimmed.length > MOST_CHARACTERS || /[\p{Cc}\s]/u.test(trimmed) || !URL.canParse(trimmed)) throw invalid('is no web address');
  if (/[?#]/.test(trimmed)) throw invalid('must have no query and no fragment');
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') throw invalid('must hold no user name and no password');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) throw invalid('must begin with https://');
  if (allowed === undefined ? !local && isOwn(url.hostname) : !allowed.some((entry) => isAt(url, entry))) throw notAllowed();
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/`;
  return url;
}

/** A host of a Jira as operators write it, `host` or `host:port`, in the form that a URL has it in; undefined where it is none. */
export function jiraHost(text: string): string | undefined {
  const [, host = '', port] = /^([^\s/\\?#@:*]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (!URL.canParse(`https://${text}`) || host === '') return undefined;
  const { hostname } = new URL(`https://${host}`);
  return port === undefined ? hostname : `${hostname}:${Number(port)}`;
}

/** Whether only this machine can be meant. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** As in `ABC-123`, whatever the case it was written in. */
export function issueKey(text: string): string {
  const key = text.trim().toUpperCase();
  if (KEY.test(key)) return key;
  throw new Failure('validation_error', 'That is no key of a Jira issue.', 'Give the key as Jira shows it, such as ABC-123.');
}

/** An entry without a port is for the default one alone. */
function isAt({ host, hostname, port, protocol }: URL, entry: string): boolean {
  const known = jiraHost(entry);
  return known === host || known === `${hostname}:${port || DEFAULT_PORTS[protocol]}`;
}

function isOwn(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  return family === 0 ? LOCALHOST.test(hostname) : OWN.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function notAllowed(): Failure {
  return new Failure(
    'validation_error',
    'This server may not connect to that Jira.',
    'Use a Jira that its operator allows, or ask the operator to allow this one.',
  );
}

function invalid(what: string): Failure {
  return new Failure(
    'validation_error',
    `The address of Jira ${what}.`,
    'Give the address that Jira has in the browser, up to the part before /browse, such as https://jira.example.com.',
  );
}
