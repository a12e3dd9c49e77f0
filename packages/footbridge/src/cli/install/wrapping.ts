/** Wraps the entry of a server with Footbridge, and unwraps it. */
import { asText, type Fields, isFields } from '../../json.js';
import { isSecretName } from '../../secrets/names.js';
import type { HostEntry, HostPlace, HostServer } from '../hosts/index.js';
import { hostLibrary } from '../hosts/library.js';
import { hasCredentials } from '../server-values.js';
import type { StartWords } from '../this-program.js';

type Wrapping = { readonly ok: true; readonly fields: Fields } | { readonly ok: false; readonly reason: string };

/** Authentication and variables that only the host can pass to the server. */
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

export const NOT_FOR_CMD = 'Its arguments contain characters that cmd interprets. Use --global.';

const OWN_SIGN_IN = 'To sign in with Footbridge instead, put the server into footbridge.json with "oauth".';

export async function wrapEntry(place: HostPlace, entry: HostEntry, start: StartWords): Promise<Wrapping> {
  const held = ONLY_THE_HOST.find((name) => isSet(entry.fields[name]) && !isUsualSignIn(name, entry.fields[name]));
  if (held !== undefined) return refused(`It has "${held}", which only the host supports.${/auth/i.test(held) ? ` ${OWN_SIGN_IN}` : ''}`);
  const { server } = entry;
  if (server.kind === 'unknown') return refused('It has neither a command nor a URL.');
  if (server.kind === 'command') {
    const names = [...Object.keys(server.env), ...namesIn(entry.fields['env_keys'])];
    const words = start(['wrap', ...names.flatMap((name) => ['--env', name]), '--', server.command, ...server.args]);
    return words === undefined ? refused(NOT_FOR_CMD) : { ok: true, fields: withCommand(entry.fields, words) };
  }
  // A leading variable is expanded by the host.
  if (!/^(?:https?:\/\/|\$\{)/i.test(server.url)) return refused('Its URL is not an HTTP URL.');
  if (hasSecret(server.url)) return refused('Its URL contains a secret, which would be visible on the command line. Move it to a header.');
  const fields = await urlWrapped(place, entry, server, start);
  return fields === undefined ? refused(NOT_FOR_CMD) : { ok: true, fields };
}

/** Whether a setting says no more than that the user signs in, which Footbridge does by itself. */
function isUsualSignIn(name: string, value: unknown): boolean {
  if (name === 'authProviderType') return value === 'dynamic_discovery';
  return name === 'oauth' && isFields(value) && Object.entries(value).every(([key, each]) => key === 'enabled' && each === true);
}

/** Reconstructs the original from the arguments of `wrap`. Undefined where that is impossible. */
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

/** Keeps the shape of the command field. */
function withCommand(fields: Fields, words: readonly string[]): Fields {
  const [first = '', ...others] = words;
  const { command } = fields;
  if (Array.isArray(command)) return { ...fields, command: [...words] };
  if (isFields(command)) return { ...fields, command: { ...command, path: first, args: others } };
  return { ...fields, [typeof command === 'string' ? 'command' : 'cmd']: first, args: others };
}

const OF_A_URL = ['url', 'httpUrl', 'serverUrl', 'uri', 'headers', 'http_headers', 'type', 'transport', ...ONLY_THE_HOST];
const OF_A_COMMAND = ['command', 'cmd', 'args', 'env', 'envs', 'environment', 'type', 'transport'];

/** Uses the host's shape for commands, and keeps other fields. */
async function urlWrapped(
  place: HostPlace,
  { fields, name }: HostEntry,
  { headers, url }: Extract<HostServer, { kind: 'url' }>,
  start: StartWords,
): Promise<Fields | undefined> {
  const variables = new Map<string, { readonly header: string; readonly value: string }>();
  for (const [header, value] of Object.entries(headers)) {
    const usual = `FOOTBRIDGE_HEADER_${header.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    variables.set(variables.has(usual) ? `${usual}_${variables.size + 1}` : usual, { header, value });
  }
  const options = [...variables].flatMap(([variable, { header }]) => ['--header-env', `${header}=${variable}`]);
  const words = start(['wrap', ...options, url]);
  if (words === undefined) return undefined;
  const [command = '', ...args] = words;
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
  return isFields(env) ? Object.fromEntries(Object.entries(env).map(([name, value]) => [name, asText(value)])) : {};
}

function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false && value !== '';
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function hasSecret(url: string): boolean {
  if (hasCredentials(url)) return true;
  // A placeholder of the host, such as `${env:TOKEN}`, is not secret.
  return URL.canParse(url) && [...new URL(url).searchParams].some(([name, value]) => isSecretName(name) && !/^\$\{[^}]*\}$/.test(value));
}
