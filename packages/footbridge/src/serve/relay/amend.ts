/** What is added to a server's own answers. */

import { type JSONRPCRequest, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { isFields } from '../../json.js';
import type { ReadContext } from '../../sources/resource.js';
import { type Answer, hasEnvelope } from '../messages.js';

/** Whose tools they are. */
interface Owner {
  ownTools(context: ReadContext): Promise<readonly Tool[]>;
  taken(context: ReadContext): Promise<ReadonlySet<string>>;
  /** Keeps the server's names, when one page shows them all. */
  remember(names: ReadonlySet<string>): void;
}

/** Our tools at the end of the last page of the server's; alone where the server has no such list. */
export async function amendTools(request: JSONRPCRequest, answer: Answer, owner: Owner, context: ReadContext): Promise<Answer> {
  if ('error' in answer) {
    if (answer.error.code !== ProtocolErrorCode.MethodNotFound) return answer;
    const tools = await owner.ownTools(context);
    const fields = hasEnvelope(request) ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
    return tools.length === 0 ? answer : { jsonrpc: '2.0', id: request.id, result: { tools, ...fields } };
  }
  const { tools, nextCursor } = answer.result;
  if (nextCursor !== undefined || !Array.isArray(tools)) return answer;
  if (request.params?.['cursor'] === undefined) owner.remember(namesOf(tools));
  const names = await owner.taken(context);
  const added = (await owner.ownTools(context)).filter(({ name }) => !names.has(name));
  return added.length === 0 ? answer : { ...answer, result: { ...answer.result, tools: [...tools, ...added] } };
}

export function namesOf(tools: readonly unknown[]): ReadonlySet<string> {
  return new Set(tools.flatMap((tool) => (isFields(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [])));
}

/**
 * Says that there are tools where there are resources or skills that they are for. The list of them changes when that of
 * the resources does, so it is announced where that is; to a modern host only where the server itself lets it listen.
 */
export function amendCapabilities(method: string, answer: Answer, hasSkills: boolean): { amended: Answer; announces: boolean } {
  const capabilities = 'error' in answer ? undefined : answer.result['capabilities'];
  if ('error' in answer || !isFields(capabilities)) return { amended: answer, announces: false };
  const { resources, tools } = capabilities;
  const already = isTrue(tools, 'listChanged');
  if (resources === undefined && !hasSkills) return { amended: answer, announces: already };
  const announces = already || (method === 'initialize' && (hasSkills || isTrue(resources, 'listChanged')));
  const own = { ...(isFields(tools) ? tools : {}), ...(announces ? { listChanged: true } : {}) };
  return { amended: { ...answer, result: { ...answer.result, capabilities: { ...capabilities, tools: own } } }, announces };
}

function isTrue(value: unknown, field: string): boolean {
  return isFields(value) && value[field] === true;
}
