/** The state of a single replica: everything is in this process. */
import { InMemoryServerEventBus } from '@modelcontextprotocol/server';
import { parseSession, replay, SessionTable, serializeSession } from './session-table.js';
import type { MessagePost, SessionRecords, SharedState } from './shared-state.js';

export function inProcess(now: () => number = Date.now): SharedState {
  return {
    bus: new InMemoryServerEventBus(),
    sessions: sessionsIn(new SessionTable(now)),
    usage: { spend: () => {}, onSpentElsewhere: () => () => {} },
    post: postInProcess(),
    onRemoteChange: () => () => {},
    connected: true,
    close: async () => {},
  };
}

function sessionsIn(table: SessionTable): SessionRecords {
  return {
    save: async (id, record) => void table.keep(id, serializeSession(record)),
    find: async (id) => parseSession(table.use(id)?.record),
    touch: (id) => void table.use(id),
    remove: async (id) => table.remove(id),
    onChanged: () => () => {},
    events: (id) => ({
      storeEvent: async (stream, message) => table.append(id, 'here', stream, message).id,
      replayEventsAfter: (lastEventId, sender) => replay(table.use(id)?.log.events ?? [], lastEventId, sender),
    }),
  };
}

function postInProcess(): MessagePost {
  const receivers = new Map<string, (message: string) => void>();
  return {
    async receive(address, take) {
      receivers.set(address, take);
      return () => {
        if (receivers.get(address) === take) receivers.delete(address);
      };
    },
    async send(address, message) {
      const take = receivers.get(address);
      take?.(message);
      return take !== undefined;
    },
  };
}
