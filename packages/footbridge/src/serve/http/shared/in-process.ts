import { type EventStore, InMemoryServerEventBus } from '@modelcontextprotocol/server';
import type { SessionRecord, SharedState } from './shared-state.js';
export function inProcess(): SharedState {
  const sessions = new Map<string, SessionRecord>();
  const stores = new Map<string, EventStore>();
  const boxes = new Map<string, (message: string) => void>();
  return {
    bus: new InMemoryServerEventBus(),
    sessions: {
      async save(id, r) {
        sessions.set(id, r);
      },
      async find(id) {
        return sessions.get(id);
      },
      touch() {},
      async remove(id) {
        sessions.delete(id);
      },
      events(id) {
        let s = stores.get(id);
        if (!s) {
          const events: any[] = [];
          s = {
            async storeEvent(streamId, message) {
              events.push({ streamId, message });
              return `${events.length}`;
            },
            async replayEventsAfter(last, { send }) {
              const from = Number(last);
              const streamId = events[from - 1]?.streamId ?? '_GET_stream';
              for (let i = from; i < events.length; i++)
                if (events[i].streamId === streamId && events[i].message.jsonrpc) await send(`${i + 1}`, events[i].message);
              return streamId;
            },
          };
          stores.set(id, s);
        }
        return s;
      },
    },
    usage: { spend() {}, onSpentElsewhere: () => () => {} },
    post: {
      async receive(a, take) {
        boxes.set(a, take);
        return () => boxes.delete(a);
      },
      async send(a, m) {
        const t = boxes.get(a);
        t?.(m);
        return t !== undefined;
      },
    },
    onRemoteChange: () => () => {},
    connected: true,
    async close() {},
  };
}
