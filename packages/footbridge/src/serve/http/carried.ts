/** What is particular about calls over HTTP that are carried to servers behind us. */
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isFields } from '../../json.js';
import { isUpstreamTool } from '../../sources/source.js';
import { headerParameters } from '../../sources/upstream/header-parameters.js';
import type { Audience } from '../audiences.js';
import type { DirectCall } from './direct.js';

/** How long an answer may take before there is a stream for it: long calls are kept alive, and can be resumed. */
const SOON_MS = 50;

/** What comes at once; undefined when it takes longer, or when there is more to say. */
export async function soon<T>(answer: Promise<T>, more: Promise<void>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), SOON_MS);
  });
  try {
    return await Promise.race([answer, more.then(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a call has an answer and nothing else, and no headers of its own: all else is the SDK's. */
export function isPlain({ method, params }: DirectCall, { catalog }: Audience): boolean {
  if (method === 'tools/list') return true;
  const tool = method === 'tools/call' && typeof params['name'] === 'string' ? catalog.snapshot.findTool(params['name']) : undefined;
  // What is code of others may tell and ask in the course of it.
  if (tool !== undefined && !isUpstreamTool(tool)) return false;
  if (!catalog.carries) return true;
  if (isFields(params['_meta']) && params['_meta']['progressToken'] !== undefined) return false;
  return tool?.entry.inputSchema === undefined || headerParameters(tool.entry.inputSchema).length === 0;
}

/** Methods of the newer era: of another the server behind us says whether there is one. */
const METHODS: ReadonlySet<unknown> = new Set([
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'server/discover',
  'subscriptions/listen',
]);

/** That there is no such method has a status of its own. */
export async function withStatus(answer: Response, method: unknown): Promise<Response> {
  if (METHODS.has(method) || answer.status !== 200 || answer.headers.get('content-type')?.startsWith('application/json') !== true)
    return answer;
  const text = await answer.text();
  const { headers } = answer;
  const message: unknown = JSON.parse(text);
  const error = isFields(message) ? message['error'] : undefined;
  const isUnknown = isFields(error) && error['code'] === ProtocolErrorCode.MethodNotFound;
  return new Response(text, { status: isUnknown ? 404 : 200, headers });
}
