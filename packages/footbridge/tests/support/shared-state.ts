/** The contract of every shared state, for one replica or many. */
import type { JSONRPCMessage, ServerEvent } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SessionRecord, SharedState } from '../../src/serve/http/shared/shared-state.js';

/** Longer than any operation takes on a busy machine. */
export const EVENTUALLY = { timeout: 20_000, interval: 20 };

export const RECORD: SessionRecord = {
  owner: 'digest-of-somebody',
  initialize: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { sampling: {} }, clientInfo: { name: 'test', version: '1' } },
  },
  subscriptions: ['docs://one', 'docs://two'],
};

export const updated = (uri: string): ServerEvent => ({ kind: 'resource_updated', uri });
export const note = (number: number, text = ''): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { number, text },
});
/** What the transport stores at the beginning of a stream, despite its type. */
const MARK: JSONRPCMessage = JSON.parse('{}');

/** Records the messages that a state receives on its bus from now on. */
export function heardBy(state: SharedState): ServerEvent[] {
  const heard: ServerEvent[] = [];
  state.bus.subscribe((event) => heard.push(event));
  return heard;
}

/** What is replayed after an event, and on which stream. */
export async function replayed(
  state: SharedState,
  session: string,
  after: string,
): Promise<{ stream: string; messages: JSONRPCMessage[] }> {
  const messages: JSONRPCMessage[] = [];
  const stream = await state.sessions.events(session).replayEventsAfter(after, {
    send: async (_id, message) => void messages.push(message),
  });
  return { stream, messages };
}

/** The contract. `make` returns a state that is not shared with other tests. */
export function describeSharedState(name: string, make: () => Promise<SharedState>): void {
  const begin = async () => {
    const state = await make();
    onTestFinished(() => state.close());
    return state;
  };

  describe(name, () => {
    it('is connected, and closes more than once', async () => {
      const state = await begin();
      expect(state.connected).toBe(true);
      await state.close();
      await state.close();
    });

    it('calls each listener before publish returns, until it unsubscribes', async () => {
      const { bus } = await begin();
      const heard: string[] = [];
      bus.subscribe(() => {
        throw new Error('a listener of somebody else');
      });
      const stop = bus.subscribe(({ kind }) => heard.push(`first ${kind}`));
      bus.subscribe(({ kind }) => heard.push(`second ${kind}`));
      bus.publish({ kind: 'tools_list_changed' });
      stop();
      bus.publish(updated('docs://one'));
      expect(heard).toEqual(['first tools_list_changed', 'second tools_list_changed', 'second resource_updated']);
    });

    it('keeps the record of a session until it is replaced or removed', async () => {
      const { sessions } = await begin();
      expect(await sessions.find('one')).toBeUndefined();
      await sessions.save('one', RECORD);
      sessions.touch('one');
      sessions.touch('nobody');
      expect(await sessions.find('one')).toEqual(RECORD);
      await sessions.save('one', { ...RECORD, subscriptions: [] });
      expect(await sessions.find('one')).toEqual({ ...RECORD, subscriptions: [] });
      await sessions.remove('one');
      expect(await sessions.find('one')).toBeUndefined();
    });

    it('drops the events with the record', async () => {
      const state = await begin();
      await state.sessions.save('one', RECORD);
      const first = await state.sessions.events('one').storeEvent('request', note(1));
      await state.sessions.events('one').storeEvent('request', note(2));
      await state.sessions.remove('one');
      expect(await replayed(state, 'one', first)).toEqual({ stream: '_GET_stream', messages: [] });
    });

    it("does not report a replica's own changes to it", async () => {
      const { sessions, post } = await begin();
      const changed = vi.fn();
      const stop = sessions.onChanged(changed);
      await sessions.save('one', RECORD);
      await sessions.remove('one');
      await post.send('nobody', 'after all that came before');
      expect(changed).not.toHaveBeenCalled();
      stop();
    });

    it('replays the events after an ID in the same stream, without the start marker', async () => {
      const state = await begin();
      const events = state.sessions.events('one');
      const start = await events.storeEvent('request', MARK);
      await events.storeEvent('_GET_stream', note(1));
      const second = await events.storeEvent('request', note(2));
      await events.storeEvent('request', MARK);
      const last = await events.storeEvent('request', note(3));
      expect(await replayed(state, 'one', start)).toEqual({ stream: 'request', messages: [note(2), note(3)] });
      expect(await replayed(state, 'one', second)).toEqual({ stream: 'request', messages: [note(3)] });
      expect(await replayed(state, 'one', last)).toEqual({ stream: 'request', messages: [] });
      await state.sessions.events('two').storeEvent('request', note(4));
      expect(await replayed(state, 'two', start)).toEqual({ stream: '_GET_stream', messages: [] });
    });

    it('gives each event its own ID, also in sessions that are served in the same millisecond', async () => {
      const { sessions } = await begin();
      const events = Array.from({ length: 50 }, (_, index) => sessions.events(`session-${index}`).storeEvent('request', note(index)));
      expect(new Set(await Promise.all(events)).size).toBe(50);
    });

    it('replays nothing after an unknown event', async () => {
      const state = await begin();
      await state.sessions.events('one').storeEvent('request', note(1));
      expect(await replayed(state, 'one', 'never-heard-of')).toEqual({ stream: '_GET_stream', messages: [] });
      expect(await replayed(state, 'nobody', 'never-heard-of')).toEqual({ stream: '_GET_stream', messages: [] });
    });

    it('keeps the last 100 messages of a session, and at most 1 Mi characters', async () => {
      const state = await begin();
      const ids: string[] = [];
      for (let number = 0; number < 150; number++) ids.push(await state.sessions.events('many').storeEvent('s', note(number)));
      expect((await replayed(state, 'many', ids[49] ?? '')).messages).toEqual([]);
      expect((await replayed(state, 'many', ids[50] ?? '')).messages).toHaveLength(99);

      const long = 'x'.repeat(400_000);
      const large: string[] = [];
      for (let number = 0; number < 4; number++) large.push(await state.sessions.events('large').storeEvent('s', note(number, long)));
      expect((await replayed(state, 'large', large[1] ?? '')).messages).toEqual([]);
      expect((await replayed(state, 'large', large[2] ?? '')).messages).toEqual([note(3, long)]);
      const tooLong = await state.sessions.events('large').storeEvent('s', note(5, 'x'.repeat(2_000_000)));
      for (const id of [...large, tooLong]) expect((await replayed(state, 'large', id)).messages).toEqual([]);
    });

    it("does not report a replica's own usage to it", async () => {
      const { usage, post } = await begin();
      const reported = vi.fn();
      const stop = usage.onSpentElsewhere(reported);
      usage.spend('work:somebody', 1);
      // The absence of a message cannot be awaited; one round trip is.
      await new Promise((resolve) => setTimeout(resolve, 300));
      await post.send('nobody', 'over');
      expect(reported).not.toHaveBeenCalled();
      stop();
    });

    it('keeps a lock for one holder until it is released, or its life is over', async () => {
      const { values } = await begin();
      const release = await values.lock('one', 60_000);
      expect(release).toBeDefined();
      expect(await values.lock('one', 60_000)).toBeUndefined();
      await values.lock('two', 200);
      await vi.waitUntil(() => values.lock('two', 60_000), EVENTUALLY);
      // Longer than a lock outlives a process that was killed.
      await new Promise((resolve) => setTimeout(resolve, 6000));
      expect(await values.lock('one', 60_000)).toBeUndefined();
      await release?.();
      expect(await values.lock('one', 60_000)).toBeDefined();
    });

    it('delivers a message to the receiver of an address, and reports a missing one', async () => {
      const { post } = await begin();
      const taken: string[] = [];
      expect(await post.send('one', 'too early')).toBe(false);
      const stop = await post.receive('one', (message) => taken.push(message));
      expect(await post.send('one', 'hello')).toBe(true);
      expect(await post.send('two', 'nobody there')).toBe(false);
      stop();
      expect(await post.send('one', 'too late')).toBe(false);
      expect(taken).toEqual(['hello']);
    });
  });
}
