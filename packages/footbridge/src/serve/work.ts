/** What a message of the protocol asks for, as far as limits and logs need to know. */
import { isFields } from '../json.js';

/** Methods that do work; the rest lists, greets or tells. */
const WORK: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'resources/directory/read',
  'prompts/get',
  'completion/complete',
  'skills/get',
]);

export function isWork(message: unknown): boolean {
  return isFields(message) && typeof message['method'] === 'string' && WORK.has(message['method']);
}

/** The tool, prompt or URI that a message is about. */
export function requestTarget(message: unknown): string | undefined {
  const params = isFields(message) ? message['params'] : undefined;
  if (!isFields(params)) return undefined;
  const { name, uri } = params;
  if (typeof name === 'string') return name;
  return typeof uri === 'string' ? uri : undefined;
}
