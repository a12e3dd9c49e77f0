/** A server's entry that becomes ours, so that what it has passes through Footbridge; and how it becomes its own again. */
import { type Fields, isFields } from '../../json.js';
import { tellsSecret } from '../../secrets/names.js';
import type { HostEntry, HostPlace, HostServer } from '../hosts/index.js';
import { hostLibrary } from '../hosts/library.js';
import { hasCredentials } from '../server-values.js';
import { asksToSignIn } from './sign-in.js';

/** The words that start Footbridge with these arguments. */
export type StartWords = (args: readonly string[]) => readonly string[];

export type Wrapping = { readonly ok: true; readonly fields: Fields } | { readonly ok: false; readonly reason: string };

/** Ways to sign in, and variables from elsewhere, that only the host itself can give to the server. */
const ONLY_THE_HOST = [
  'oauth',
  'auth',
  'authProviderType',
  'bearer_token_env',
  'bearer_token_env_var',
  'bearerTokenEnv',
  'env_http_headers',
  'header_env',
  'headersHelper',
  'envFile',
  'env_vars',
];

const NO_OAUTH = 'Footbridge does not support OAuth for upstream servers, so the host must connect to it directly.';

/** The fields of an entry that starts the same server through us. */
export async function wrapEntry(place: HostPlace, entry: HostEntry, start: StartWords): Promise<Wrapping> {
  const held = ONLY_THE_HOST.find((name) => isSet(entry.fields[name]));
  if (held !== undefined) return refused(`It has "${held}", which only the host supports.${/auth/i.test(held) ? ` ${NO_OAUTH}` : ''}`);
  const { server } = entry;
  if (server.kind === 'unknown') return refused('It has neither a command nor a URL.');
  if (server.kind === 'command') {
    const names = [...Object.keys(server.env), ...namesIn(entry.fields['env_keys'])];
    const words = start(['wrap', ...names.flatMap((name) => ['--env', name]), '--', server.command, ...server.args]);
    return { ok: true, fields: withCommand(entry.fields, words) };
  }
  // With a variable in front only the host knows what it is.
  if (!/^(?:https?:\/\/|\$\{)/i.test(server.url)) return refused('Its URL is not an HTTP URL.');
  if (hasSecret(server.url)) return refused('Its URL contains a secret, which would be visible on the command line. Move it to a header.');
  if (Object.keys(server.headers).length === 0 && (await asksToSignIn(server.url)))
    return refused(`It requires authentication (HTTP 401). ${NO_OAUTH}`);
  return { ok: true, fields: await urlWrapped(place, entry, server, start) };
}

/** What `wrap` was given, from the entry alone: for one whose fields before nobody kept. Undefined where it holds more than that. */
export async function unwrapEntry(place: HostPlace, entry: HostEntry): Promise<Fields | undefined> {
  if (entry.server.kind !== 'command') return undefined;
  const words = [entry.server.command, ...entry.server.args];
  const at = words.indexOf('wrap');
  if (at === -1) return undefined;
  const headers = new Map<string, string>();
  let next = at + 1;
  for (; words[next] === '--env' || words[next] === '--header-env'; next += 2) {
    const [name = '', variable = ''] = words[next] === '--header-env' ? (words[next + 1]?.split('=') ?? []) : [];
    if (name !== '') headers.set(name, variable);
  }
  const rest = words.slice(next);
  if (rest[0] === '--' && rest.length > 1) return withCommand(entry.fields, rest.slice(1));
  const [url = ''] = rest;
  return rest.length === 1 && URL.canParse(url) ? urlFields(place, entry, url, headers) : undefined;
}

function refused(reason: string): Wrapping {
  return { ok: false, reason };
}

/** In the shape in which the entry has its command. */
function withCommand(fields: Fields, words: readonly string[]): Fields {
  const [first = '', ...others] = words;
  const { command } = fields;
  if (Array.isArray(command)) return { ...fields, command: [...words] };
  if (isFields(command)) return { ...fields, command: { ...command, path: first, args: others } };
  return { ...fields, [typeof command === 'string' ? 'command' : 'cmd']: first, args: others };
}

const OF_A_URL = ['url', 'httpUrl', 'serverUrl', 'uri', 'headers', 'http_headers', 'type', 'transport', ...ONLY_THE_HOST];
const OF_A_COMMAND = ['command', 'cmd', 'args', 'env', 'envs', 'environment', 'type', 'transport'];

/** The host's shape for a command; what else the entry says stays. */
async function urlWrapped(
  place: HostPlace,
  { fields, name }: HostEntry,
  { headers, url }: Extract<HostServer, { kind: 'url' }>,
  start: StartWords,
): Promise<Fields> {
  const variables = new Map<string, { readonly header: string; readonly value: string }>();
  for (const [header, value] of Object.entries(headers)) {
    const usual = `FOOTBRIDGE_HEADER_${header.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    variables.set(variables.has(usual) ? `${usual}_${variables.size + 1}` : usual, { header, value });
  }
  const options = [...variables].flatMap(([variable, { header }]) => ['--header-env', `${header}=${variable}`]);
  const [command = '', ...args] = start(['wrap', ...options, url]);
  const env = { ...textsOf(fields), ...Object.fromEntries([...variables].map(([variable, { value }]) => [variable, value])) };
  return merged(place, name, { command, args, env }, fields, OF_A_URL, OF_A_COMMAND);
}

async function urlFields(place: HostPlace, { fields, name }: HostEntry, url: string, names: ReadonlyMap<string, string>): Promise<Fields> {
  const env = textsOf(fields);
  const headers = Object.fromEntries([...names].map(([header, variable]) => [header, env[variable] ?? '']));
  return merged(place, name, { type: 'http', url, headers }, fields, OF_A_COMMAND, OF_A_URL);
}

async function merged(
  { host, scope }: HostPlace,
  name: string,
  config: Parameters<Awaited<ReturnType<typeof hostLibrary>>['upsertServer']>[2],
  fields: Fields,
  gone: readonly string[],
  own: readonly string[],
): Promise<Fields> {
  const agent = (await hostLibrary()).agents[host.id];
  const made = agent?.transformConfig(name, config, { local: scope === 'project', configKey: agent.configKey });
  const shape = Object.entries(isFields(made) ? made : {}).filter(([, value]) => value !== undefined);
  const kept = Object.entries(fields).filter(([key]) => !gone.includes(key));
  return Object.fromEntries([...shape, ...kept, ...shape.filter(([key]) => own.includes(key))]);
}

function textsOf(fields: Fields): Record<string, string> {
  const env = fields['env'] ?? fields['envs'] ?? fields['environment'];
  return isFields(env) ? Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])) : {};
}

function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false && value !== '';
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function hasSecret(url: string): boolean {
  if (hasCredentials(url)) return true;
  return URL.canParse(url) && [...new URL(url).searchParams].some(([name, value]) => tellsSecret(name) && !isPlaceholder(value));
}

/** What the host puts a value in for, such as `${env:TOKEN}`. */
function isPlaceholder(value: string): boolean {
  return /^\$\{[^}]*\}$/.test(value);
}
