/** What a server shares with itself alone: everything is in this process. */
import { InMemoryServerEventBus } from '@modelcontextprotocol/server';
import { replay } from './event-log.js';
import { readRecord, writeRecord } from './session-record.js';
import { SessionTable } from './session-table.js';
import type { MessagePost, SessionRecords, SharedState } from './shared-state.js';

/** The state of a server that runs once; it ends with the process. */
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
    save: async (id, record) => void table.keep(id, writeRecord(record)),
    find: async (id) => readRecord(table.use(id)?.record),
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
  const takers = new Map<string, (message: string) => void>();
  return {
    async receive(address, take) {
      takers.set(address, take);
      return () => {
        if (takers.get(address) === take) takers.delete(address);
      };
    },
    async send(address, message) {
      const take = takers.get(address);
      take?.(message);
      return take !== undefined;
    },
  };
}
