/** What a person proves to Jira who they are with, and how it is kept out of everything that is said. */
import * as z from 'zod/v4';

/** A token of Jira Server or Data Center, or an account of Jira Cloud. */
export const CREDENTIALS = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('bearer_pat'), pat: z.string() }),
  z.strictObject({ mode: z.literal('basic_cloud'), email: z.string(), token: z.string() }),
]);
export type Credentials = z.infer<typeof CREDENTIALS>;
export type AuthMode = Credentials['mode'];

/** The value of the header `Authorization`. */
export function authorization(credentials: Credentials): string {
  return credentials.mode === 'bearer_pat' ? `Bearer ${credentials.pat}` : `Basic ${basic(credentials)}`;
}

/** Replaces the secret in a text that Jira wrote, in every form that a server could have at hand. */
export function hider(credentials: Credentials): (text: string) => string {
  const secrets = credentials.mode === 'bearer_pat' ? [credentials.pat] : [credentials.token, basic(credentials)];
  // The longest first: a form may begin with a shorter one.
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'gi');
  return (text) => text.replace(pattern, '[hidden]');
}

function basic({ email, token }: { readonly email: string; readonly token: string }): string {
  return Buffer.from(`${email}:${token}`).toString('base64');
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64');
  return [secret, encodeURIComponent(secret), base64, base64.replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('hex')];
}
