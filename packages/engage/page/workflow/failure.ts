/** An error for a person: what is wrong, and what to do. */
import { textIn } from '../../../footbridge/page/json.js';
import type { Outcome } from '../bridge/bridge.js';

export class PageFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** What to do next; may be empty. */
    readonly action: string,
  ) {
    super(message);
  }
}

/** From `{ code, message, text }`, where the text is the message followed by what to do. */
export function failureOf({ structuredContent, text }: Outcome): PageFailure {
  const whole = textIn(structuredContent, 'text') ?? text;
  const message = textIn(structuredContent, 'message') ?? textIn(structuredContent, 'error') ?? whole;
  const action = whole.startsWith(message) ? whole.slice(message.length) : whole;
  return new PageFailure(
    textIn(structuredContent, 'code') ?? 'unexpected_error',
    message === '' ? 'The request failed for an unknown reason.' : message,
    action.trim(),
  );
}

export function toFailure(cause: unknown): PageFailure {
  if (cause instanceof PageFailure) return cause;
  return new PageFailure('unexpected_error', 'Something went wrong in this page.', 'Try again, or reload the page.');
}

/** There was no response. */
export function unreachable(): PageFailure {
  return new PageFailure('unreachable', 'The server does not respond.', 'It may have been stopped, or the connection is down. Try again.');
}

export function wasAborted(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === 'AbortError';
}
