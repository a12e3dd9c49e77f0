/** What a server shares with itself alone: everything is in this process. */
import { InMemoryServerEventBus } from '@modelcontextprotocol/server';
import { replay } from './event-log.js';
import { SessionTable } from './session-table.js';
import type { MessagePost, SessionRecords, SharedState } from './shared-state.js';

/** The state of a server that runs once; it ends with the process. */
export function inProcess(now: () => number = Date.now): SharedState {
  return {
    bus: new InMemoryServerEventBus(),
    sessions: sessionsIn(new SessionTable(now), now),
    usage: { spend: () => {}, onSpentElsewhere: () => () => {} },
    post: postInProcess(),
    onRemoteChange: () => () => {},
    connected: true,
    close: async () => {},
  };
}

function sessionsIn(table: SessionTable, now: () => number): SessionRecords {
  return {
    async save(id, record) {
      table.open(id).record = record;
    },
    find: async (id) => table.use(id)?.record,
    onChanged: () => () => {},
    touch: (id) => void table.use(id),
    remove: async (id) => table.remove(id),
    events: (id) => ({
      storeEvent: async (stream, message) => table.open(id).log.append('here', stream, message, now()).id,
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
