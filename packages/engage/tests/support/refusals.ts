/** What every refusal of a tool has to be, whatever its code. */
import { expect } from 'vitest';
import type { Json } from '../../../footbridge/tests/support/client.js';
import { tracesOf } from './secrets.js';

/** Details that some codes have besides. */
type Details = Readonly<Record<string, unknown>>;

/** Checks the whole shape; returns the structured part. */
export function expectRefused(result: Json, code: string, secrets: readonly string[] = [], details: Details = {}): Json {
  expect(result, code).toMatchObject({ isError: true, structuredContent: { code } });
  const { content, structuredContent } = result;
  expectRefusal(structuredContent, code, secrets, details);
  expect(content).toEqual([{ type: 'text', text: structuredContent.text }]);
  return structuredContent;
}

/** The same for the body of an HTTP answer. */
export function expectRefusal(body: Json, code: string, secrets: readonly string[] = [], details: Details = {}): void {
  expect(body).toEqual({ code, message: expect.stringMatching(/\.$/), text: expect.any(String), ...details });
  // What is wrong, and then at least a sentence of what to do.
  expect(body.text.startsWith(`${body.message} `), body.text).toBe(true);
  expect(body.text.slice(body.message.length + 1)).toMatch(/^[A-Z].{10,}\.$/s);
  expectNothingInside(JSON.stringify(body), secrets);
}

/** No path of a machine, no stack, no secret. */
export function expectNothingInside(text: string, secrets: readonly string[]): void {
  expect(text).not.toMatch(/(?:^|[\s"'`(:])(?:file:)?\/+(?:tmp|home|usr|etc|var|root|proc|work|opt|dev)\b/);
  expect(text).not.toMatch(/node_modules|node:internal|\\n\s+at |\.[jt]s:\d+|E(?:NOENT|ACCES|NOTDIR|EXIST|PERM|FBIG)\b/);
  for (const secret of secrets) expect(tracesOf(secret, text), text).toEqual([]);
}
