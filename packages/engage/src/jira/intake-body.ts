/** What a person gives to connect: checked, and refused without repeating any of it, since any of it may be the secret. */
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { type JiraAddresses, jiraBaseUrl } from './address.js';
import type { Credentials } from './credentials.js';

/** Shorter ones are no tokens, and could not be told from other words when they are hidden. */
const SECRET = z.string().regex(/^[\x21-\x7e]{8,4096}$/);
/** A colon would end it in a header of basic authentication. */
const EMAIL = z.string().regex(/^[^\s:\p{Cc}]{1,320}$/u);

const BODY = z.strictObject({
  jira_base_url: z.string(),
  auth_mode: z.enum(['bearer_pat', 'basic_cloud']).default('bearer_pat'),
  pat: SECRET.optional(),
  account_email: EMAIL.optional(),
  api_token: SECRET.optional(),
});

const HELP: Readonly<Record<string, string>> = {
  jira_base_url: 'Give the address of Jira as `jira_base_url`, without the token.',
  auth_mode: 'Give `bearer_pat` or `basic_cloud` as `auth_mode`, or leave it out.',
  pat: 'Give the personal access token as `pat`: 8 to 4096 visible ASCII characters, without spaces or line breaks.',
  account_email: 'Give the e-mail address of the account as `account_email`, without spaces, colons or line breaks.',
  api_token: 'Give the API token as `api_token`: 8 to 4096 visible ASCII characters, without spaces or line breaks.',
};
const FIELDS = `Give \`jira_base_url\`, and \`pat\` or, with \`auth_mode\` \`basic_cloud\`, \`account_email\` and \`api_token\`; nothing else.`;

export interface Intake {
  readonly baseUrl: URL;
  readonly credentials: Credentials;
}

/** `body` may be anything that was sent. */
export function intakeOf(body: unknown, addresses: JiraAddresses): Intake {
  const parsed = BODY.safeParse(body);
  if (!parsed.success) throw invalid(parsed.error.issues[0]?.path[0]);
  const { jira_base_url, auth_mode, pat, account_email, api_token } = parsed.data;
  // The address is shown and kept in clear.
  if ([pat, api_token].some((secret) => secret !== undefined && holds(jira_base_url, secret))) throw invalid('jira_base_url');
  const baseUrl = jiraBaseUrl(jira_base_url, addresses);
  if (auth_mode === 'bearer_pat') {
    if (account_email !== undefined || api_token !== undefined) throw invalid(undefined);
    if (pat === undefined) throw invalid('pat');
    return { baseUrl, credentials: { mode: auth_mode, pat } };
  }
  if (pat !== undefined) throw invalid(undefined);
  if (account_email === undefined) throw invalid('account_email');
  if (api_token === undefined) throw invalid('api_token');
  return { baseUrl, credentials: { mode: auth_mode, email: account_email, token: api_token } };
}

/** Also where it is written as an address writes it. */
function holds(address: string, secret: string): boolean {
  const forms = [secret, encodeURIComponent(secret), encodeURI(secret)].map((form) => form.toLowerCase());
  return forms.some((form) => address.toLowerCase().includes(form));
}

function invalid(field: PropertyKey | undefined): Failure {
  const help = typeof field === 'string' && Object.hasOwn(HELP, field) ? HELP[field] : undefined;
  const message =
    help === undefined ? 'What was sent is not what a connection needs.' : `\`${String(field)}\` is missing or cannot be used.`;
  return new Failure('validation_error', message, help ?? FIELDS);
}
