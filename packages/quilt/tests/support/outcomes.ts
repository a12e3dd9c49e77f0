/** What a read comes to, by the tool and by the protocol's own road. */
import { expect } from 'vitest';
import type { Json, RawClient } from '../../../footbridge/tests/support/client.js';

/** As JSON-RPC numbers them. */
const CODES: Readonly<Record<string, number>> = {
  InvalidURI: -32602,
  MissingTemplateVariable: -32602,
  InvalidTemplateVariable: -32602,
  NotFound: -32602,
  Unauthorized: -32600,
  ResourceExecutionError: -32603,
};

/** What a resource holds; fails where it cannot be read. */
export async function dataOf(client: RawClient, uri: string): Promise<Json> {
  const { structuredContent } = await client.call('get_resource', { uri });
  expect(structuredContent, uri).toMatchObject({ success: true });
  return structuredContent.data;
}

/** Why it cannot be read: both roads must fail, and say the same. */
export async function failureOf(client: RawClient, uri: string, when: 'in turn' | 'at once' = 'in turn'): Promise<Json> {
  const asked = client.call('get_resource', { uri });
  if (when === 'in turn') await asked;
  const [{ isError, structuredContent }, { error }] = await Promise.all([asked, client.request('resources/read', { uri })]);
  expect(structuredContent, uri).toMatchObject({ success: false });
  expect(isError, uri).toBe(true);
  const { success: _, valid_uris: validUris, ...told } = structuredContent;
  expect(told.suggested_actions.length, uri).toBeGreaterThan(0);
  const parts = [told.message, told.details, ...told.suggested_actions];
  expect(error).toMatchObject({ code: CODES[told.error], message: parts.filter((part) => part !== undefined).join(' ') });
  // The SDK has an error of its own for what is not there.
  expect(error?.data).toEqual(['NotFound', 'InvalidURI'].includes(told.error) ? { uri } : told);
  expect(validUris !== undefined, uri).toBe(told.error === 'InvalidURI');
  return structuredContent;
}
