/** Checks the shape of tool and HTTP failures. */
import { expect } from 'vitest';
import type { Json } from '../../../footbridge/tests/support/client.js';
import { tracesOf } from './secrets.js';

type Details = Readonly<Record<string, unknown>>;

/** Returns the structured content. */
export function expectFailure(result: Json, code: string, secrets: readonly string[] = [], details: Details = {}): Json {
  expect(result, code).toMatchObject({ isError: true, structuredContent: { code } });
  const { content, structuredContent } = result;
  expectFailureBody(structuredContent, code, secrets, details);
  expect(content).toEqual([{ type: 'text', text: structuredContent.text }]);
  return structuredContent;
}

/** For the body of an HTTP response. */
export function expectFailureBody(body: Json, code: string, secrets: readonly string[] = [], details: Details = {}): void {
  expect(body).toEqual({ code, message: expect.stringMatching(/\.$/), text: expect.any(String), ...details });
  // The message, followed by what to do.
  expect(body.text.startsWith(`${body.message} `), body.text).toBe(true);
  expect(body.text.slice(body.message.length + 1)).toMatch(/^[A-Z].{10,}\.$/s);
  expectNoInternals(JSON.stringify(body), secrets);
}

/** No paths, stack traces or secrets. */
export function expectNoInternals(text: string, secrets: readonly string[]): void {
  expect(text).not.toMatch(/(?:^|[\s"'`(:])(?:file:)?\/+(?:tmp|home|usr|etc|var|root|proc|work|opt|dev)\b/);
  expect(text).not.toMatch(/node_modules|node:internal|\\n\s+at |\.[jt]s:\d+|E(?:NOENT|ACCES|NOTDIR|EXIST|PERM|FBIG)\b/);
  for (const secret of secrets) expect(tracesOf(secret, text), text).toEqual([]);
}
