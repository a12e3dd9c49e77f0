/** Responses. */
import type { Refusal } from './errors.js';

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `hang`: no response. */
export type Outcome = Reply | 'hang';

export const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

export function xmlReply(body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 200, headers: { 'Content-Type': 'application/xml', ...headers }, body: `${XML}${body}` };
}

export function jsonReply(body: object): Reply {
  return { status: 200, headers: { 'Content-Type': 'application/x-amz-json-1.1' }, body: JSON.stringify(body) };
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** The time format of AWS's JSON protocols. */
export function epochSeconds(date: Date): number {
  return date.getTime() / 1000;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The offset of the next page, if any. */
  readonly next: string | undefined;
}

/** Opaque page tokens; invalid ones are rejected. */
export function pageOf<Item>(all: readonly Item[], size: number, token: string | undefined, badToken: Refusal): Page<Item> {
  const start = token === undefined ? 0 : Number(/^page-(\d+)$/.exec(Buffer.from(token, 'base64url').toString())?.[1]);
  if (Number.isNaN(start)) throw badToken;
  const end = start + size;
  return { items: all.slice(start, end), next: end < all.length ? Buffer.from(`page-${end}`).toString('base64url') : undefined };
}

/** A field of a JSON request. */
export function fieldOf(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
}

export function textOf(input: unknown, name: string): string | undefined {
  const value = fieldOf(input, name);
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(input: unknown, name: string): number | undefined {
  const value = fieldOf(input, name);
  return typeof value === 'number' ? value : undefined;
}
