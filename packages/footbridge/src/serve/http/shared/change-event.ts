/** Changes as they travel between replicas. */
import { isJSONRPCNotification, parseJSONRPCMessage, type ServerEvent } from '@modelcontextprotocol/server';
import { isFields } from '../../../json.js';

/** That every list may have changed, which is all that can be said of what nobody heard. */
export const ALL_LISTS_CHANGED: readonly ServerEvent[] = [
  { kind: 'tools_list_changed' },
  { kind: 'prompts_list_changed' },
  { kind: 'resources_list_changed' },
];

/** The same for events of which the last makes the others superfluous. */
export function subjectOf(event: ServerEvent): string {
  return event.kind === 'resource_updated' ? `${event.kind} ${event.uri}` : event.kind;
}

/** The event in a text from another replica; undefined when there is none in it. */
export function readEvent(text: string | undefined): ServerEvent | undefined {
  try {
    const event: unknown = JSON.parse(text ?? '');
    if (!isFields(event)) return undefined;
    const kind = readKind(event);
    if (kind === undefined || event['params'] === undefined) return kind;
    const notification = parseJSONRPCMessage({ jsonrpc: '2.0', method: kind.kind, params: event['params'] });
    return isJSONRPCNotification(notification) ? { ...kind, params: notification.params } : undefined;
  } catch {
    return undefined;
  }
}

function readKind({ kind, uri }: Record<string, unknown>): ServerEvent | undefined {
  if (kind === 'resource_updated') return typeof uri === 'string' ? { kind, uri } : undefined;
  return ALL_LISTS_CHANGED.find((event) => event.kind === kind);
}
