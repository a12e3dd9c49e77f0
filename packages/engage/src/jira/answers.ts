/** What is read out of Jira's answers, and nothing beside it. */

import { parseJson } from 'footbridge/pack';
import * as z from 'zod/v4';
import { oneLine } from './one-line.js';
import { notUnderstood, notWhole, refusal, type Subject, signOnPage } from './refusals.js';
import type { Answer } from './request.js';

/** As long as file systems let a name be. */
const MOST_NAME_CHARACTERS = 255;
const MOST_ATTACHMENTS = 100;

export interface JiraAttachment {
  readonly issue_key: string;
  readonly attachment_id: string;
  readonly filename: string;
  readonly size_bytes: number;
  /** ISO 8601, UTC. */
  readonly created_at: string;
}

/** The newest of what is attached to an issue, the newest first. */
export interface JiraAttachments {
  readonly attachments: readonly JiraAttachment[];
  /** How many there are, with those that are left out. */
  readonly total: number;
}

/** Takes the secret out of a text. */
type Hide = (text: string) => string;

/** Proof enough that it is a Jira that answered. */
export const ACCOUNT = z.object({ displayName: z.string() });

const ATTACHMENT = z.object({
  id: z.string().regex(/^\d{1,30}$/),
  filename: z.string(),
  size: z.number().int().nonnegative(),
  created: z.string().refine((text) => !Number.isNaN(Date.parse(text))),
});
type RawAttachment = z.infer<typeof ATTACHMENT>;

export const ISSUE = z.object({ fields: z.object({ attachment: z.array(ATTACHMENT).default([]) }) });
export const ATTACHED = z.tuple([ATTACHMENT], z.unknown());

/** The answer in the shape that was expected; throws what it stands for otherwise. */
export function understood<T>(answer: Answer, subject: Subject, schema: z.ZodType<T>): T {
  const { status, headers, text, sentWhole } = answer;
  if (status < 200 || status >= 300) throw refusal(status, headers, subject);
  if (/^text\/html|^application\/xhtml/i.test(headers['content-type'] ?? '') || /^\s*</.test(text)) throw signOnPage();
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw notUnderstood();
  if (!sentWhole) throw notWhole();
  return parsed.data;
}

/** Bounded, since whoever reads it has only so much room, and what a Jira says may be anything. */
export function attachmentsOf(key: string, { fields: { attachment: all } }: z.infer<typeof ISSUE>, hide: Hide): JiraAttachments {
  const newest = all.toSorted((one, other) => Date.parse(other.created) - Date.parse(one.created)).slice(0, MOST_ATTACHMENTS);
  return { attachments: newest.map((each) => attachmentOf(key, each, hide)), total: all.length };
}

export function attachmentOf(key: string, { id, filename, size, created }: RawAttachment, hide: Hide): JiraAttachment {
  return {
    issue_key: key,
    attachment_id: id,
    filename: oneLine(filename, MOST_NAME_CHARACTERS, hide),
    size_bytes: size,
    created_at: new Date(created).toISOString(),
  };
}
