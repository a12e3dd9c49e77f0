/** Jira credentials: validation of what a person submits, the `Authorization` header, and redaction. */
import { encodingsOf } from 'footbridge/pack';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { type JiraUrlPolicy, jiraBaseUrl } from './base-url.js';

/** A personal access token of Jira Server or Data Center, or an account of Jira Cloud. */
export const CREDENTIALS = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('bearer_pat'), pat: z.string() }),
  z.strictObject({ mode: z.literal('basic_cloud'), email: z.string(), token: z.string() }),
]);
export type Credentials = z.infer<typeof CREDENTIALS>;
export type AuthMode = Credentials['mode'];

export function authorization(credentials: Credentials): string {
  return credentials.mode === 'bearer_pat' ? `Bearer ${credentials.pat}` : `Basic ${basic(credentials)}`;
}

/** Redacts the secret in a text that Jira sent, in every encoding that a server could echo. */
export function redactor(credentials: Credentials): (text: string) => string {
  const secrets = credentials.mode === 'bearer_pat' ? [credentials.pat] : [credentials.token, basic(credentials)];
  const pattern = new RegExp(
    encodingsOf(secrets)
      .map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
      .join('|'),
    'gi',
  );
  return (text) => text.replace(pattern, '[hidden]');
}

function basic({ email, token }: { readonly email: string; readonly token: string }): string {
  return Buffer.from(`${email}:${token}`).toString('base64');
}

/** The minimum length keeps redaction from matching ordinary words. */
const SECRET = z.string().regex(/^[\x21-\x7e]{8,4096}$/);
/** A colon would end the user name in basic authentication. */
const EMAIL = z.string().regex(/^[^\s:\p{Cc}]{1,320}$/u);

const BODY = z.strictObject({
  jira_base_url: z.string(),
  auth_mode: z.enum(['bearer_pat', 'basic_cloud']).default('bearer_pat'),
  pat: SECRET.optional(),
  account_email: EMAIL.optional(),
  api_token: SECRET.optional(),
});

const HELP: Readonly<Record<string, string>> = {
  jira_base_url: 'Pass the URL of Jira as `jira_base_url`, without the token.',
  auth_mode: 'Pass `bearer_pat` or `basic_cloud` as `auth_mode`, or omit it.',
  pat: 'Pass the personal access token as `pat`: 8 to 4096 visible ASCII characters, without spaces or line breaks.',
  account_email: 'Pass the e-mail address of the account as `account_email`, without spaces, colons or line breaks.',
  api_token: 'Pass the API token as `api_token`: 8 to 4096 visible ASCII characters, without spaces or line breaks.',
};
const FIELDS = `Pass \`jira_base_url\`, and \`pat\` or, with \`auth_mode\` \`basic_cloud\`, \`account_email\` and \`api_token\`; nothing else.`;

export interface Intake {
  readonly baseUrl: URL;
  readonly credentials: Credentials;
}

/** Validates what a person submitted. Errors never repeat any of it, since any field may contain the secret. */
export function parseIntake(body: unknown, policy: JiraUrlPolicy): Intake {
  const parsed = BODY.safeParse(body);
  if (!parsed.success) throw invalidIntake(parsed.error.issues[0]?.path[0]);
  const { jira_base_url, auth_mode, pat, account_email, api_token } = parsed.data;
  // The URL is stored and shown in clear text.
  if ([pat, api_token].some((secret) => secret !== undefined && urlContains(jira_base_url, secret))) throw invalidIntake('jira_base_url');
  const baseUrl = jiraBaseUrl(jira_base_url, policy);
  if (auth_mode === 'bearer_pat') {
    if (account_email !== undefined || api_token !== undefined) throw invalidIntake(undefined);
    if (pat === undefined) throw invalidIntake('pat');
    return { baseUrl, credentials: { mode: auth_mode, pat } };
  }
  if (pat !== undefined) throw invalidIntake(undefined);
  if (account_email === undefined) throw invalidIntake('account_email');
  if (api_token === undefined) throw invalidIntake('api_token');
  return { baseUrl, credentials: { mode: auth_mode, email: account_email, token: api_token } };
}

function urlContains(url: string, secret: string): boolean {
  const forms = [secret, encodeURIComponent(secret), encodeURI(secret)].map((form) => form.toLowerCase());
  return forms.some((form) => url.toLowerCase().includes(form));
}

function invalidIntake(field: PropertyKey | undefined): Failure {
  const help = typeof field === 'string' && Object.hasOwn(HELP, field) ? HELP[field] : undefined;
  const message = help === undefined ? 'Invalid connection fields.' : `\`${String(field)}\` is missing or invalid.`;
  return new Failure('validation_error', message, help ?? FIELDS);
}
