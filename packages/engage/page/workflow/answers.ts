/** Validates tool results. */
import { type Fields, fieldsIn, isFields, textIn } from '../../../footbridge/page/json.js';
import { PageFailure } from './failure.js';

/** An archive that can be fetched. */
export interface CollectedArchive {
  readonly name: string;
  readonly bytes: number;
  readonly reference: string;
}

/** A fetched archive that can be attached. */
export interface Bundle {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly reference: string;
}

export interface Connection {
  readonly id: string;
  readonly status: string;
  readonly baseUrl: string;
  /** The person's name in Jira. */
  readonly account: string | undefined;
  readonly expiresAt: string | undefined;
}

export interface Attachment {
  readonly issue: string;
  readonly id: string;
  readonly filename: string;
  readonly bytes: number;
  readonly createdAt: string | undefined;
}

/** The list may be incomplete. */
export interface Attachments {
  readonly newest: readonly Attachment[];
  readonly total: number;
}

export function archiveIn(fields: Fields): CollectedArchive | undefined {
  const reference = textIn(fields, 'fetch_reference');
  const name = textIn(fields, 'archive_name');
  return reference === undefined || name === undefined ? undefined : { reference, name, bytes: numberIn(fields, 'size_bytes') };
}

export function bundleIn(fields: Fields): Bundle | undefined {
  const reference = textIn(fields, 'artifact_ref');
  const path = textIn(fields, 'path');
  if (reference === undefined || path === undefined) return undefined;
  const name = textIn(fields, 'archive_name') ?? path.split(/[/\\]/).at(-1) ?? path;
  return { name, path, reference, bytes: numberIn(fields, 'size_bytes'), sha256: textIn(fields, 'sha256') ?? '' };
}

export function connectionIn(fields: Fields): Connection | undefined {
  const id = textIn(fields, 'connection_id');
  if (id === undefined) return undefined;
  return {
    id,
    status: textIn(fields, 'status') ?? 'unknown',
    baseUrl: textIn(fields, 'jira_base_url') ?? '',
    account: textIn(fields, 'jira_account'),
    expiresAt: textIn(fields, 'expires_at'),
  };
}

export function connectionsIn(fields: Fields): readonly Connection[] {
  return fieldsIn(fields['connections']).flatMap((entry) => connectionIn(entry) ?? []);
}

export function attachmentIn(fields: unknown): Attachment | undefined {
  if (!isFields(fields)) return undefined;
  const filename = textIn(fields, 'filename');
  if (filename === undefined) return undefined;
  return {
    filename,
    issue: textIn(fields, 'issue_key') ?? '',
    id: String(fields['attachment_id'] ?? filename),
    bytes: numberIn(fields, 'size_bytes'),
    createdAt: textIn(fields, 'created_at'),
  };
}

export function attachmentsIn(fields: Fields): Attachments {
  const newest = fieldsIn(fields['attachments']).flatMap((entry) => attachmentIn(entry) ?? []);
  return { newest, total: Math.max(numberIn(fields, 'total'), newest.length) };
}

function numberIn(fields: Fields, name: string): number {
  const value = fields[name];
  return typeof value === 'number' ? value : 0;
}

/** Throws a failure if a required value is missing. */
export function present<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw new PageFailure('unexpected_error', 'The server sent an invalid response.', 'Try again.');
}
