/** Reads a resource with get_resource and resources/read. */
import { expect } from 'vitest';
import type { Json, RawClient } from '../../../footbridge/tests/support/client.js';

/** The JSON-RPC error codes. */
const CODES: Readonly<Record<string, number>> = {
  InvalidURI: -32602,
  MissingTemplateVariable: -32602,
  InvalidTemplateVariable: -32602,
  NotFound: -32602,
  Unauthorized: -32600,
  ResourceExecutionError: -32603,
};

/** The data of a resource. */
export async function dataOf(client: RawClient, uri: string): Promise<Json> {
  const { structuredContent } = await client.call('get_resource', { uri });
  expect(structuredContent, uri).toMatchObject({ success: true });
  return structuredContent.data;
}

/** The error of a read, which must be the same from both. */
export async function failureOf(client: RawClient, uri: string, when: 'sequential' | 'concurrent' = 'sequential'): Promise<Json> {
  const called = client.call('get_resource', { uri });
  if (when === 'sequential') await called;
  const [{ isError, structuredContent }, { error }] = await Promise.all([called, client.request('resources/read', { uri })]);
  expect(structuredContent, uri).toMatchObject({ success: false });
  expect(isError, uri).toBe(true);
  const { success: _, valid_uris: validUris, ...failure } = structuredContent;
  expect(failure.suggested_actions.length, uri).toBeGreaterThan(0);
  const parts = [failure.message, failure.details, ...failure.suggested_actions];
  expect(error).toMatchObject({ code: CODES[failure.error], message: parts.filter((part) => part !== undefined).join(' ') });
  // The SDK has its own error for unknown URIs.
  expect(error?.data).toEqual(['NotFound', 'InvalidURI'].includes(failure.error) ? { uri } : failure);
  expect(validUris !== undefined, uri).toBe(failure.error === 'InvalidURI');
  return structuredContent;
}
