/** The schema of `mcpServers`: the format of most hosts, with our own settings. */
import * as z from 'zod/v4';
import type { ResourceRule } from '../../sources/server/entries.js';
import type {
  CommandServer,
  OAuthSettings,
  Patterns,
  RemoteServer,
  ServerSettings,
  UpstreamServer,
} from '../../sources/upstream/options.js';
import {
  HAS_CREDENTIALS,
  HAS_NUL,
  hasCredentials,
  hasNoNul,
  isHeaderName,
  isHeaderValue,
  isVariableName,
  NO_HEADER_NAME,
  NO_HEADER_VALUE,
  NO_VARIABLE_NAME,
} from '../server-values.js';
import { filled, IdleSchema, listOf, ToolSearchSchema, text, webUrl } from './parts.js';

const SHORTEST_START_MS = 100;
const LONGEST_START_MS = 600_000;

/** Part of tool names and skill:// URIs, separated by `__` and `+`. */
const NameSchema = z
  .string()
  .min(1, 'The name is empty.')
  .max(64, 'The name has more than 64 characters.')
  .refine((name) => !name.includes('__'), 'The name contains __, which separates the name of a server from that of its tool.')
  .refine((name) => !name.includes('+'), 'The name contains +, which separates the name of a server from a URI.')
  .regex(/^[\w.-]*$/, 'The name may contain only letters, digits, "-", "_" and ".".')
  .regex(/^[a-zA-Z0-9](?:.*[a-zA-Z0-9])?$/, 'The name must start and end with a letter or a digit.');

const PATTERN = '* matches any number of characters.';

const patterns = {
  tools: listOf(filled, `Tools, by the server's own names; ${PATTERN}`).exactOptional(),
  resources: listOf(filled, `Resources and templates, by URI; ${PATTERN}`).exactOptional(),
  prompts: listOf(filled, `Prompts, by name; ${PATTERN}`).exactOptional(),
  skills: listOf(filled, `Skills, by name; ${PATTERN}`).exactOptional(),
} satisfies Record<keyof Patterns, z.ZodType>;

const RuleSchema = z
  .strictObject({
    match: text(`The URIs that this applies to, such as admin://**; ${PATTERN}`),
    requiresAdmin: z.boolean().describe('Whether they require the role "admin".').exactOptional(),
    category: text('The category that they are listed under.').exactOptional(),
  } satisfies Record<keyof ResourceRule, z.ZodType>)
  .describe('A pattern under match, and the properties of matching resources: requiresAdmin, category.');

const START_TIME = `Expected an integer from ${SHORTEST_START_MS} to ${LONGEST_START_MS}.`;

const settings = {
  include: z
    .strictObject(patterns)
    .describe('What is shown: patterns by kind. A kind that is not listed is shown completely.')
    .exactOptional(),
  exclude: z.strictObject(patterns).describe('What is hidden and can neither be called nor read: patterns by kind.').exactOptional(),
  resources: listOf(
    RuleSchema,
    'Categories of resources, and which of them require the role "admin". The first match applies.',
  ).exactOptional(),
  isolation: z
    .enum(['shared', 'caller'], { error: 'Expected "shared" or "caller".' })
    .describe('Whether all callers share one connection to the server ("shared") or each has its own ("caller"). Default "shared".')
    .exactOptional(),
  prefix: z
    .string()
    .regex(/^[\w.-]{0,64}$/, 'A prefix may contain only letters, digits, "-", "_" and ".", at most 64.')
    .describe('Prefix for the names of its tools and prompts. Default: none for a single server, otherwise its name and __.')
    .exactOptional(),
  toolSearch: ToolSearchSchema.describe(
    'Whether its tools are found with find_tools instead of being listed: true, false or "auto". Default: the global setting.',
  ).exactOptional(),
  always: listOf(filled, `Tools of the server that are listed even if the others are searched for; ${PATTERN}`).exactOptional(),
  idle: IdleSchema.describe(
    'Seconds without a call after which a command is stopped, until it is called again. false: it starts with Footbridge and always runs. Default: the global setting.',
  ).exactOptional(),
  startTimeoutMs: z
    .int(START_TIME)
    .min(SHORTEST_START_MS, START_TIME)
    .max(LONGEST_START_MS, START_TIME)
    .describe('Milliseconds to wait for it to start. Default 10000.')
    .exactOptional(),
} satisfies Record<keyof ServerSettings, z.ZodType>;

const argument = z.string().refine(hasNoNul, HAS_NUL);

const commandPart = {
  command: filled.refine(hasNoNul, HAS_NUL).describe('The program that starts the server, which uses MCP on stdin and stdout.'),
  args: listOf(argument, 'Arguments of the command.'),
  env: z
    .record(z.string().refine(isVariableName, NO_VARIABLE_NAME), argument)
    .describe('Environment variables of the server. It inherits only a few safe ones, such as PATH and HOME.'),
  cwd: filled
    .refine(hasNoNul, HAS_NUL)
    .describe(
      'Working folder of the server. A relative path starts at the folder of this file. Default: the working folder of Footbridge.',
    ),
} satisfies Record<Exclude<keyof CommandServer, 'mayStart'>, z.ZodType>;

const PORT = 'Expected an integer from 1 to 65535.';

function secretsOf({ clientKeyEnv, clientKeyFile, clientSecretEnv }: OAuthSettings): readonly string[] {
  return [clientKeyEnv, clientKeyFile, clientSecretEnv].filter((each) => each !== undefined);
}

const OAuthSchema = z
  .strictObject({
    clientId: text(
      'The id that the authorization server gave Footbridge, or the https URL of its client ID metadata document. Default: Footbridge registers itself.',
    ).exactOptional(),
    issuer: webUrl(
      'The issuer of the authorization server that the client is registered at. Others that the server names are refused.',
    ).exactOptional(),
    clientSecretEnv: z
      .string()
      .refine(isVariableName, NO_VARIABLE_NAME)
      .describe('The environment variable with the secret of that client.')
      .exactOptional(),
    clientKeyEnv: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'Expected the name of an environment variable, not the key.')
      .describe('The environment variable with the private key of that client, in place of a secret: PEM, or a JSON Web Key.')
      .exactOptional(),
    clientKeyFile: filled
      .refine((value) => !/^\s*\{|[\n\0]|PRIVATE KEY/.test(value), 'Expected the path of a file, not the key.')
      .describe('The file with that private key. A relative path starts at the folder of this file.')
      .exactOptional(),
    scopes: listOf(
      z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'A scope has no spaces, quotes or backslashes.'),
      'Scopes to request. Default: those that the server asks for.',
    ).exactOptional(),
    redirectPort: z
      .int(PORT)
      .min(1, PORT)
      .max(65_535, PORT)
      .describe('The port on this machine that the browser returns to, where it has to be registered. Default: any free one.')
      .exactOptional(),
    grant: z
      .enum(['authorization_code', 'client_credentials'], { error: 'Expected "authorization_code" or "client_credentials".' })
      .describe('"client_credentials" signs in without a user; it requires clientId. Default "authorization_code".')
      .exactOptional(),
  } satisfies Record<keyof OAuthSettings, z.ZodType>)
  .refine(
    ({ clientId, grant, ...own }) => clientId !== undefined || (secretsOf(own).length === 0 && grant !== 'client_credentials'),
    'This requires "clientId".',
  )
  .refine((own) => secretsOf(own).length < 2, 'Use one of "clientSecretEnv", "clientKeyEnv" and "clientKeyFile".')
  .describe('How to sign in to the server, if it requires that. Optional: Footbridge discovers what it can.');

const remotePart = {
  url: webUrl('URL of the server, such as https://example.org/mcp.').refine((url) => !hasCredentials(url), HAS_CREDENTIALS),
  headers: z
    .record(z.string().refine(isHeaderName, NO_HEADER_NAME), z.string().refine(isHeaderValue, NO_HEADER_VALUE))
    .describe('Headers of each request, such as Authorization.'),
  oauth: OAuthSchema,
  signIn: z
    .enum(['caller', 'exchange', 'shared'], { error: 'Expected "caller", "exchange" or "shared".' })
    .describe(
      'Over HTTP, where the server requires a sign-in: "caller" lets each caller sign in, "exchange" exchanges the token of each caller for one for the server, "shared" uses the login of the operator for all. Default: no logins.',
    ),
} satisfies Record<keyof RemoteServer, z.ZodType>;

const TYPES = { stdio: 'command', http: 'url', 'streamable-http': 'url', sse: 'url' } as const;

const FileSchema = z.strictObject({
  type: z
    .enum(['stdio', 'http', 'streamable-http', 'sse'], { error: 'Expected "stdio", "http", "streamable-http" or "sse".' })
    .describe('The transport, as hosts write it. Optional. "stdio" requires command; "http", "streamable-http" and "sse" require url.')
    .exactOptional(),
  command: commandPart.command.exactOptional(),
  args: commandPart.args.exactOptional(),
  env: commandPart.env.exactOptional(),
  cwd: commandPart.cwd.exactOptional(),
  url: remotePart.url.exactOptional(),
  headers: remotePart.headers.exactOptional(),
  oauth: remotePart.oauth.exactOptional(),
  signIn: remotePart.signIn.exactOptional(),
  ...settings,
  disabled: z.boolean().describe('true disables the server.').exactOptional(),
});

/** Keys that only one kind of server has. */
const BELONGS: readonly (readonly [kind: 'command' | 'url', keys: readonly ('args' | 'env' | 'cwd' | 'headers' | 'oauth' | 'signIn')[]])[] =
  [
    ['command', ['args', 'env', 'cwd']],
    ['url', ['headers', 'oauth', 'signIn']],
  ];

/** Undefined if it is disabled. */
const ServerSchema = FileSchema.transform((file, context): UpstreamServer | undefined => {
  const { type, disabled, command, args, env, cwd, url, headers, oauth, signIn, ...others } = file;
  const refuse = (path: readonly string[], message: string): undefined => {
    context.addIssue({ code: 'custom', path: [...path], message });
  };
  if (command !== undefined && url !== undefined) return refuse(['url'], 'A server requires either a command or a url, not both.');
  if (command === undefined && url === undefined) return refuse([], 'A server requires a command or a url.');
  const kind = command === undefined ? 'url' : 'command';
  for (const [owner, keys] of BELONGS)
    for (const key of keys)
      if (owner !== kind && file[key] !== undefined) refuse([key], `"${key}" requires "${owner}", but this server has a ${kind}.`);
  if (type !== undefined && TYPES[type] !== kind) refuse(['type'], `"${type}" requires "${TYPES[type]}", but this server has a ${kind}.`);
  if (disabled === true) return undefined;
  if (url !== undefined) return { url, headers, oauth, signIn, ...others };
  return command === undefined ? undefined : { command, args, env, cwd, ...others };
}).describe('An MCP server: { "command", "args", "env", "cwd" } or { "url", "headers", "oauth" }, and what is shown of it.');

export const McpServersSchema = z
  .record(NameSchema, ServerSchema)
  .describe('Upstream MCP servers, by name. If two have a resource with the same URI, the first keeps it.');
