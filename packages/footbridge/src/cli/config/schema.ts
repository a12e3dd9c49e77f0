/** The schema of `footbridge.json`. Editors show the descriptions, and errors include them. */
import * as z from 'zod/v4';
import {
  DEFAULT_HTTP_LIMITS,
  type HttpAccess,
  type HttpLimits,
  JWT_ALGORITHMS,
  type OAuthOptions,
  type TokenEntry,
} from '../../serve/http/options.js';
import type { Identity } from '../../serve/identity.js';
import type { AllowLists } from '../../sources/transforms/visibility.js';
import { TOOL_NAMES } from '../../surfaces/tools/index.js';
import { CatalogueSchema, HostsSchema, NativeSchema, UsageSchema } from './hosts-schema.js';
import { McpServersSchema } from './mcp-servers-schema.js';
import { filled, IdleSchema, listOf, safeUrl, someOf, ToolSearchSchema, text, webUrl } from './parts.js';
import { TrustSchema } from './trust-schema.js';

const IdentitySchema = z
  .strictObject({
    name: text('Name of the caller, for sources and logs.'),
    roles: listOf(filled, 'Roles of the caller. "admin" gives access to resources with requiresAdmin.').exactOptional(),
  } satisfies Record<keyof Identity, z.ZodType>)
  .describe('The caller over stdio. Without it, the caller is the owner of the machine and sees everything.');

const ToolsSchema = z
  .strictObject(
    Object.fromEntries(
      TOOL_NAMES.map((name) => [name, z.boolean().describe(`Whether the tool ${name} is offered. Default true.`).exactOptional()]),
    ),
  )
  .describe('Which of the built-in tools are offered: false disables one.');

const packName = text('An installed package, or a module relative to this file that starts with ./ .');

const PacksSchema = listOf(
  z.union(
    [packName, z.tuple([packName, z.record(z.string(), z.unknown()).describe('Options of the pack, as described in its documentation.')])],
    'Expected a name, or [name, { options }].',
  ),
  'Packages that add tools, resources and skills, such as ["@footbridge/engage"], each as a name or as [name, { options }].',
).refine((packs) => new Set(packs.map((pack) => (typeof pack === 'string' ? pack : pack[0]))).size === packs.length, 'Duplicate pack.');

const specification = text('Such as github:owner/repo, npm:package, https://example.org/pdf.skill or ./folder.');

const SourcesSchema = listOf(
  z.union(
    [
      specification,
      z.strictObject({ source: specification, skills: someOf(filled, 'Names of the skills that are used. Default: all.').exactOptional() }),
    ],
    'Expected a source, or { "source", "skills" }.',
  ),
  'Where skills are fetched from, such as ["github:owner/repo@v1"]. `footbridge add` writes them here and into footbridge.lock.',
).refine(
  (sources) => new Set(sources.map((each) => (typeof each === 'string' ? each : each.source))).size === sources.length,
  'Duplicate source.',
);

const TokenSchema = z
  .strictObject({
    name: text('Name of the token holder. Must be unique.'),
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'Invalid SHA-256: expected 64 hexadecimal digits.')
      .toLowerCase()
      .describe('SHA-256 of the token in hexadecimal, never the token itself. `footbridge token NAME` creates both.'),
    roles: listOf(filled, 'Roles of the holder. "admin" gives access to resources with requiresAdmin.').exactOptional(),
    expires: z.iso
      .datetime({ offset: true, error: 'Invalid time. Use ISO 8601 with an offset, such as 2027-01-31T00:00:00Z.' })
      .describe('When the token expires, such as 2027-01-31T00:00:00Z. Default: never.')
      .exactOptional(),
  } satisfies Record<keyof TokenEntry, z.ZodType>)
  .describe('A token that a caller can authenticate with. `footbridge token NAME` prints the token and this entry.');

const TokensSchema = someOf(TokenSchema, 'Tokens that callers can authenticate with. Omit it if tokens are not used.').superRefine(
  (tokens, context) => {
    for (const key of ['name', 'sha256'] as const) {
      const seen = new Set<string>();
      for (const [index, token] of tokens.entries()) {
        if (seen.has(token[key])) context.addIssue({ code: 'custom', path: [index, key], message: `Duplicate ${key}.` });
        seen.add(token[key]);
      }
    }
  },
);

const OAuthSchema = z
  .strictObject({
    issuer: safeUrl('The authorization server, exactly as in the "iss" claim of its tokens, for example https://id.example.org.'),
    audience: z
      .union([filled, z.array(filled).min(1, 'The list is empty.')], { error: 'Expected a string or a list of strings.' })
      .describe('The "aud" claim that a token must have, or a list of accepted ones.'),
    jwksUri: safeUrl("URL of the issuer's keys. Default: taken from the issuer's metadata.").exactOptional(),
    rolesClaim: text(
      'The claim that contains the roles, with dots for nested claims. Scopes count as roles too. Default "roles".',
    ).exactOptional(),
    algorithms: someOf(
      z.enum(JWT_ALGORITHMS, { error: 'This is not an asymmetric signature algorithm.' }),
      `Accepted signature algorithms. Default: all of ${JWT_ALGORITHMS.join(', ')}.`,
    ).exactOptional(),
  } satisfies Record<keyof OAuthOptions, z.ZodType>)
  .describe('The authorization server whose JWTs are accepted.');

const RoleSchema = z
  .strictObject({
    skills: listOf(filled, 'Skills, by name or skill:// URI; * matches any number of characters.').exactOptional(),
    resources: listOf(filled, 'All other resources, by URI; * matches any number of characters.').exactOptional(),
    tools: listOf(filled, 'Tools, by name; * matches any number of characters.').exactOptional(),
    prompts: listOf(filled, 'Prompts of MCP servers, by name; * matches any number of characters.').exactOptional(),
  } satisfies Record<keyof AllowLists, z.ZodType>)
  .describe('What a role sees: lists of patterns under skills, resources, tools and prompts. Everything else is hidden.');

function limit(name: keyof HttpLimits, description: string) {
  const expected = 'Expected a positive integer.';
  return z.int(expected).positive(expected).describe(`${description} Default ${DEFAULT_HTTP_LIMITS[name]}.`).exactOptional();
}

const LimitsSchema = z
  .strictObject({
    callsPerMinute: limit(
      'callsPerMinute',
      'Tool calls, reads, prompts and completions per caller and minute. Lists have ten times this limit.',
    ),
    burst: limit('burst', 'How many of these may arrive at once.'),
    concurrent: limit('concurrent', 'Concurrent calls per caller.'),
    bodyBytes: limit('bodyBytes', 'Maximum size of a request.'),
    sessions: limit('sessions', 'Sessions of older protocol revisions, for all callers together.'),
    subscriptions: limit('subscriptions', 'Subscribed resources per connection, and open notification streams.'),
  } satisfies Record<keyof HttpLimits, z.ZodType>)
  .describe('Rate limits and quotas, as integers.');

const RUNNING = 'Expected a positive integer.';

const HOST = /^[a-zA-Z0-9_-]+(?:\.[a-zA-Z0-9_-]+)*$/;
const ORIGIN = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^\s/?#@*]+$/;

const HttpSchema = z
  .strictObject({
    tokens: TokensSchema.exactOptional(),
    oauth: OAuthSchema.exactOptional(),
    roles: z
      .record(z.string().min(1, 'The name is empty.'), RoleSchema)
      .describe('What each role sees, by role name. Without it, everybody sees everything except admin content.')
      .exactOptional(),
    limits: LimitsSchema.exactOptional(),
    publicUrl: webUrl('The address that hosts use, if it differs from the listening address, for example behind a proxy.').exactOptional(),
    hosts: listOf(
      z.string().regex(HOST, 'Invalid host name. Omit scheme, port and path.').toLowerCase(),
      'Allowed values of the Host header, such as mcp.example.org, in addition to IP addresses, localhost and the host of publicUrl.',
    ).exactOptional(),
    origins: listOf(
      z.string().regex(ORIGIN, 'Invalid origin. Use scheme, host and port, without a path.').toLowerCase(),
      'Allowed origins of web pages, such as https://app.example.org, in addition to our own and those on this machine.',
    ).exactOptional(),
  } satisfies Record<keyof HttpAccess, z.ZodType>)
  .describe('Who may connect over HTTP, what they see, and their rate limits.');

export const ConfigSchema = z
  .strictObject({
    $schema: z.string().describe('The JSON Schema of this file, for editors.').exactOptional(),
    skills: listOf(
      text('A skill folder. A relative path starts at the folder of this file, ~/ is the home folder.'),
      'Skill folders in addition to the standard ones, searched recursively, such as ["./team-skills"].',
    ).exactOptional(),
    standardFolders: z
      .boolean()
      .describe('Whether the standard folders, such as ./.agents/skills and ~/.claude/skills, are searched. Default true.')
      .exactOptional(),
    sources: SourcesSchema.exactOptional(),
    update: z
      .enum(['daily'], { error: 'Expected "daily".' })
      .describe('With "daily", a server over HTTP updates its sources once a day. A refused update changes nothing. Default: never.')
      .exactOptional(),
    trust: TrustSchema.exactOptional(),
    locked: z
      .boolean()
      .describe('Whether only skills that match footbridge.lock are served. `footbridge lock` writes that file. Default false.')
      .exactOptional(),
    serveSecrets: z
      .boolean()
      .describe('Whether files of a skill that are likely to contain secrets, such as .env and private keys, are served. Default false.')
      .exactOptional(),
    mcpServers: McpServersSchema.exactOptional(),
    packs: PacksSchema.exactOptional(),
    tools: ToolsSchema.exactOptional(),
    toolSearch: ToolSearchSchema.describe(
      'Whether tools of servers are found with find_tools instead of being listed. "auto": if there are more than 40, or more than 8,000 tokens of definitions, and the host does not search itself. Default "auto".',
    ).exactOptional(),
    always: listOf(
      filled,
      'Tools of servers that are listed even if the others are searched for, by the names that hosts see or the names of the server; * matches any number of characters.',
    ).exactOptional(),
    idle: IdleSchema.describe(
      'Seconds without a call after which the command of a server is stopped, until it is called again. false: commands start with Footbridge and always run. Default 600.',
    ).exactOptional(),
    running: z
      .int(RUNNING)
      .positive(RUNNING)
      .describe('How many commands of servers may run at the same time. The least recently used ones make room for others. Default 64.')
      .exactOptional(),
    catalogue: CatalogueSchema.exactOptional(),
    native: NativeSchema.exactOptional(),
    usage: UsageSchema.exactOptional(),
    hosts: HostsSchema.exactOptional(),
    identity: IdentitySchema.exactOptional(),
    http: HttpSchema.exactOptional(),
  })
  .describe('What footbridge serves, to whom, and how.');

export function configJsonSchema() {
  return { title: 'footbridge.json', ...z.toJSONSchema(ConfigSchema, { io: 'input' }) };
}
