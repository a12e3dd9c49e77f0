/** Who a verified JWT speaks for. */
import type { JWTPayload } from 'jose';
import { echo } from '../../../errors.js';
import { type Fields, isFields, ownField } from '../../../json.js';
import type { Caller } from '../../../sources/resource.js';

/** Somebody as a token describes them. */
export interface Subject {
  readonly caller: Caller;
  readonly subject: string;
}

/** Undefined for a token that names neither a person nor a program. */
export function subjectOf(claims: JWTPayload, issuer: string, rolesClaim: string): Subject | undefined {
  const person = text(claims.sub);
  const subject = person ?? text(claims['client_id']) ?? text(claims['azp']);
  if (subject === undefined) return undefined;
  const name = text(claims['preferred_username']) ?? text(claims['name']) ?? subject;
  const roles = [...new Set([...rolesOf(claims, rolesClaim), ...words(claims['scope']), ...words(claims['scp'])])];
  // A person may be named like a program, and is another caller all the same.
  const id = `${person === undefined ? 'jwt-client' : 'jwt'} ${issuer} ${subject}`;
  return { subject, caller: { id, name: echo(name), roles, admin: roles.includes('admin') } };
}

/** A claim may have dots in its own name, as those that are URLs have. */
function rolesOf(claims: Fields, path: string): string[] {
  const value =
    ownField(claims, path) ??
    path.split('.').reduce<unknown>((inner, name) => (isFields(inner) ? ownField(inner, name) : undefined), claims);
  return typeof value === 'string' ? [value] : strings(value);
}

function words(value: unknown): string[] {
  return typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : strings(value);
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
