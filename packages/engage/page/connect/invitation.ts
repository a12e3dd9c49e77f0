/** The data that the server embedded in the page. */
import { isFields, textIn } from '../../../footbridge/page/json.js';

export interface OpenInvitation {
  readonly baseUrl: string | undefined;
  readonly expiresAt: string | undefined;
  /** None for the owner of this machine. */
  readonly askedBy: string | undefined;
}

/** Undefined for a link that was used, has expired or never existed. */
export function readInvitation(): OpenInvitation | undefined {
  const fields = parsed(document.getElementById('invitation')?.textContent ?? '');
  if (!isFields(fields)) return undefined;
  return { baseUrl: textIn(fields, 'jira_base_url'), expiresAt: textIn(fields, 'expires_at'), askedBy: textIn(fields, 'asked_by') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
