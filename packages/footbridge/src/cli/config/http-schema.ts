/** The part `http` of the configuration; its type is that of `serve/http`. */
import * as z from 'zod/v4';
import type { AllowLists } from '../../catalog/visibility.js';
import {
  DEFAULT_HTTP_LIMITS,
  type HttpAccess,
  type HttpLimits,
  JWT_ALGORITHMS,
  type OAuthOptions,
  type TokenEntry,
} from '../../serve/http/options.js';
import { filled, listOf, safeUrl, someOf, text, webUrl } from './parts.js';

const TokenSchema = z
  .strictObject({
    name: text('Who holds the token; each name once.'),
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'This is not a SHA-256, which has 64 hexadecimal digits.')
      .toLowerCase()
      .describe('The hexadecimal SHA-256 of the token, never the token itself. `footbridge token NAME` makes both.'),
    roles: listOf(filled, 'The roles of whoever holds it. "admin" opens resources with requiresAdmin.').exactOptional(),
  } satisfies Record<keyof TokenEntry, z.ZodType>)
  .describe('Somebody who signs in with a token: `footbridge token NAME` prints the token and this entry.');

const TokensSchema = someOf(
  TokenSchema,
  'Who may sign in with a token that was handed to them. Leave it out where nobody does.',
).superRefine((tokens, context) => {
  for (const key of ['name', 'sha256'] as const) {
    const seen = new Set<string>();
    for (const [index, token] of tokens.entries()) {
      if (seen.has(token[key]))
        context.addIssue({ code: 'custom', path: [index, key], message: `An entry before this one has the same ${key}.` });
      seen.add(token[key]);
    }
  }
});

const OAuthSchema = z
  .strictObject({
    issuer: safeUrl('The authorization server, exactly as the claim "iss" of its tokens has it, such as https://id.example.org.'),
    audience: z
      .union([filled, z.array(filled).min(1, 'The list is empty.')], { error: 'A text, or a list of texts, is expected.' })
      .describe('What a token must be meant for: its claim "aud" has this, or one of these.'),
    jwksUri: safeUrl("Where the issuer's keys are. Default: as the issuer's own metadata says.").exactOptional(),
    rolesClaim: text(
      'The claim that lists roles, dotted where it lies deeper. Scopes count as roles too. Default "roles".',
    ).exactOptional(),
    algorithms: someOf(
      z.enum(JWT_ALGORITHMS, { error: 'This is not an asymmetric signature algorithm.' }),
      `Signature algorithms that are accepted. Default: every one of ${JWT_ALGORITHMS.join(', ')}.`,
    ).exactOptional(),
  } satisfies Record<keyof OAuthOptions, z.ZodType>)
  .describe('The authorization server whose JWTs are accepted.');

const RoleSchema = z
  .strictObject({
    skills: listOf(filled, 'Skills, by name or skill:// URI; * stands for any run of characters.').exactOptional(),
    resources: listOf(filled, 'All other resources, by URI; * stands for any run of characters.').exactOptional(),
    tools: listOf(filled, 'Tools, by name; * stands for any run of characters.').exactOptional(),
    prompts: listOf(filled, 'Prompts of MCP servers, by name; * stands for any run of characters.').exactOptional(),
  } satisfies Record<keyof AllowLists, z.ZodType>)
  .describe('What a role sees: lists of patterns under skills, resources, tools and prompts. What is not listed is not seen.');

function limit(name: keyof HttpLimits, description: string) {
  const expected = 'A whole number above 0 is expected.';
  return z.int(expected).positive(expected).describe(`${description} Default ${DEFAULT_HTTP_LIMITS[name]}.`).exactOptional();
}

const LimitsSchema = z
  .strictObject({
    callsPerMinute: limit('callsPerMinute', 'Tool calls, reads, prompts and completion of one caller; lists have ten times as much.'),
    burst: limit('burst', 'How many of them may come at once.'),
    concurrent: limit('concurrent', 'Calls of one caller that run side by side.'),
    bodyBytes: limit('bodyBytes', 'Size of one request.'),
    sessions: limit('sessions', 'Sessions of the older revisions of the protocol, over all callers.'),
    subscriptions: limit('subscriptions', 'Resources that one connection may watch, and streams of changes that may be open.'),
  } satisfies Record<keyof HttpLimits, z.ZodType>)
  .describe('Bounds on what one caller, and all of them, may ask for: whole numbers.');

const HOST = /^[a-zA-Z0-9_-]+(?:\.[a-zA-Z0-9_-]+)*$/;
const ORIGIN = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^\s/?#@*]+$/;

export const HttpSchema = z
  .strictObject({
    tokens: TokensSchema.exactOptional(),
    oauth: OAuthSchema.exactOptional(),
    roles: z
      .record(z.string().min(1, 'The name is empty.'), RoleSchema)
      .describe('What each role sees, by its name. Without it everybody sees everything but admin content.')
      .exactOptional(),
    limits: LimitsSchema.exactOptional(),
    publicUrl: webUrl('The address that hosts use, where it differs from the one listened on, as behind a proxy.').exactOptional(),
    hosts: listOf(
      z.string().regex(HOST, 'This is not a host name alone, without scheme, port and path.').toLowerCase(),
      'Host names that requests may be addressed to, such as mcp.example.org, beside IP addresses, localhost and that of publicUrl.',
    ).exactOptional(),
    origins: listOf(
      z.string().regex(ORIGIN, 'This is not an origin: scheme, host and port, without a path.').toLowerCase(),
      'Origins of web pages that may connect, such as https://app.example.org, beside our own and those on this machine.',
    ).exactOptional(),
  } satisfies Record<keyof HttpAccess, z.ZodType>)
  .describe('Who may connect over HTTP, what they see, and how much they may ask for.');
