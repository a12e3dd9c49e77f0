/** Shared state in one process, in Redis, and during an outage of Redis. */
import { execFile } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@redis/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog, silentLog } from '../src/log.js';
import { redisState } from '../src/serve/http/shared/redis.js';
import { inProcess, TABLE_BOUNDS } from '../src/serve/http/shared/session-table.js';
import { SESSION_IDLE_MS, type SessionRecord, type SharedState } from '../src/serve/http/shared/shared-state.js';
import { freePort } from './support/programs.js';
import { type Redis, startRedis } from './support/redis.js';
import { describeWith } from './support/requirements.js';
import { describeSharedState, EVENTUALLY, heardBy, note, RECORD, replayed, updated } from './support/shared-state.js';

describeSharedState('state in one process', async () => inProcess());

describe('state in one process', () => {
  it('expires a session after half an hour without use', async () => {
    let time = 0;
    const { sessions } = inProcess(() => time);
    await sessions.save('idle', RECORD);
    await sessions.save('used', RECORD);
    time = SESSION_IDLE_MS - 1;
    sessions.touch('used');
    time = SESSION_IDLE_MS;
    expect(await sessions.find('idle')).toBeUndefined();
    expect(await sessions.find('used')).toEqual(RECORD);
  });

  it('evicts the least recently used sessions with their events', async () => {
    const state = inProcess();
    const first = await state.sessions.events('second').storeEvent('s', note(1));
    await state.sessions.events('second').storeEvent('s', note(2));
    await fill(state, TABLE_BOUNDS.sessions);
    expect(await filled(state)).toEqual({ first: 'known', second: 'none', last: 'known' });
    expect(await replayed(state, 'second', first)).toEqual({ stream: '_GET_stream', messages: [] });
  });

  it('limits the total size of records', async () => {
    const state = inProcess();
    await fill(state, MANY_LARGE, LARGE);
    for (let count = 0; count < MANY_LARGE; count++) await state.sessions.save('last', LARGE);
    expect(await filled(state)).toEqual({ first: 'known', second: 'none', last: 'known' });
  });

  it('limits what one caller has, and keeps what others have', async () => {
    const state = inProcess();
    const other = { ...RECORD, owner: 'digest-of-somebody-else' };
    await state.sessions.save('theirs', other);
    await state.sessions.save('first', RECORD);
    for (let stored = 0; stored <= TABLE_BOUNDS.events / 2; stored += LONG.length) {
      await state.sessions.save(`mine ${stored}`, RECORD);
      await state.sessions.events(`mine ${stored}`).storeEvent('s', note(1, LONG));
    }
    expect(await state.sessions.find('first')).toBeUndefined();
    expect(await state.sessions.find('theirs')).toEqual(other);
    const large = { ...LARGE, owner: 'digest-of-a-third' };
    for (let stored = 0; stored <= TABLE_BOUNDS.records / 2; stored += LONG.length) await state.sessions.save(`large ${stored}`, large);
    expect(await state.sessions.find('large 0')).toBeUndefined();
    expect(await state.sessions.find('theirs')).toEqual(other);
  });

  it('limits the total size of events', async () => {
    const state = inProcess();
    await state.sessions.save('idle', RECORD);
    await state.sessions.save('used', RECORD);
    for (let sent = 0; sent < TABLE_BOUNDS.events; sent += LONG.length) {
      state.sessions.touch('used');
      await state.sessions.events(`session ${sent}`).storeEvent('s', note(1, LONG));
    }
    expect(await state.sessions.find('idle')).toBeUndefined();
    expect(await state.sessions.find('used')).toEqual(RECORD);
  });
});

const LONG = 'x'.repeat(512 * 1024);
const LARGE: SessionRecord = { ...RECORD, initialize: note(1, LONG) };
const MANY_LARGE = Math.floor(TABLE_BOUNDS.records / JSON.stringify(LARGE).length);

/** Saves `count` + 1 records, of which the second is the least recently used. */
async function fill({ sessions }: SharedState, count: number, record = RECORD): Promise<void> {
  // One caller may have half of them.
  const of = (number: number) => ({ ...record, owner: `digest-of-caller-${number % 4}` });
  await sessions.save('first', record);
  await sessions.save('second', of(0));
  sessions.touch('first');
  const others = Array.from({ length: count - 2 }, (_, number) => `session ${number}`);
  for (let start = 0; start < others.length; start += 100)
    await Promise.all(others.slice(start, start + 100).map((id, index) => sessions.save(id, of(index))));
  await sessions.save('last', record);
}

/** Which sessions of `fill` are known. */
async function filled({ sessions }: SharedState) {
  const look = async (id: string) => {
    const record = await sessions.find(id);
    return typeof record === 'object' ? 'known' : (record ?? 'none');
  };
  return { first: await look('first'), second: await look('second'), last: await look('last') };
}

const LISTS = ['tools_list_changed', 'prompts_list_changed', 'resources_list_changed'];

function open(redis: Redis): SharedState {
  const state = redisState(redis.url, silentLog);
  onTestFinished(() => state.close());
  return state;
}

async function connected(...states: SharedState[]): Promise<void> {
  await vi.waitFor(() => expect(states.map((state) => state.connected)).not.toContain(false), EVENTUALLY);
}

async function disconnected(...states: SharedState[]): Promise<void> {
  await vi.waitFor(() => expect(states.map((state) => state.connected)).not.toContain(true), EVENTUALLY);
}

/** A proxy to Redis that can be cut. */
async function startProxy(redis: Redis) {
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(redis.url).port), '127.0.0.1');
    for (const end of [socket, onward]) end.on('error', () => {}).on('close', () => [socket, onward].map((each) => each.destroy()));
    sockets.add(socket);
    if (open) socket.pipe(onward).pipe(socket);
    else socket.destroy();
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const cut = () => {
    open = false;
    for (const socket of sockets) socket.destroy();
  };
  const mend = () => {
    open = true;
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return { url: `redis://127.0.0.1:${port}`, cut, mend };
}

/** A separate client, to inspect Redis and to add foreign data. */
async function inspector(redis: Redis) {
  const client = createClient({ url: redis.url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
}

describeWith('redis-server', 'state in Redis', (program) => {
  const two = async () => {
    const redis = await startRedis(program);
    const [one, other] = [open(redis), open(redis)];
    await connected(one, other);
    return { redis, one, other };
  };

  describeSharedState('contract', async () => {
    const state = redisState((await startRedis(program)).url, silentLog);
    await connected(state);
    return state;
  });

  it('delivers each change to the other replica once, after its onRemoteChange listeners', async () => {
    const { one, other } = await two();
    const order: string[] = [];
    other.onRemoteChange(async () => {
      order.push('reported');
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('ready');
    });
    const stop = other.onRemoteChange(() => void order.push('never'));
    stop();
    one.onRemoteChange(() => {
      order.push('own change');
    });
    other.bus.subscribe((event) => order.push(event.kind));
    const own = heardBy(one);
    one.bus.publish({ kind: 'tools_list_changed', params: { _meta: { why: 'test' } } });
    await vi.waitFor(() => expect(order).toEqual(['reported', 'ready', 'tools_list_changed']), EVENTUALLY);
    const heard = heardBy(other);
    one.bus.publish(updated('docs://one'));
    other.bus.publish({ kind: 'prompts_list_changed' });
    await vi.waitFor(() => expect(own).toHaveLength(3), EVENTUALLY);
    await vi.waitFor(() => expect(heard).toHaveLength(2), EVENTUALLY);
    expect(own.map(({ kind }) => kind)).toEqual(['tools_list_changed', 'resource_updated', 'prompts_list_changed']);
    expect(heard).toContainEqual(updated('docs://one'));
  });

  it('delivers a change even if an onRemoteChange listener never resolves', async () => {
    const { one, other } = await two();
    other.onRemoteChange(() => new Promise(() => {}));
    other.onRemoteChange(() => {
      throw new Error('fails');
    });
    const heard = heardBy(other);
    one.bus.publish({ kind: 'tools_list_changed', params: { _meta: { why: 'test' } } });
    await vi.waitFor(() => expect(heard).toEqual([{ kind: 'tools_list_changed', params: { _meta: { why: 'test' } } }]), EVENTUALLY);
  });

  it('ignores foreign data in Redis', async () => {
    const { redis, one, other } = await two();
    const client = await inspector(redis);
    const [heard, spent] = [heardBy(other), vi.fn()];
    other.usage.onSpentElsewhere(spent);
    for (const event of [
      '',
      'no json',
      'null',
      '[]',
      '{"kind":"constructor"}',
      '{"kind":"resource_updated"}',
      '{"kind":"tools_list_changed","params":7}',
    ]) {
      await client.xAdd('footbridge:events', '*', { from: 'nobody', event });
    }
    await client.xAdd('footbridge:events', '*', { other: 'fields' });
    for (const message of ['no json', 'null', '["x",1,["key"],["key","much"],["key",-5],[1,2]]'])
      await client.publish('footbridge:0:usage', message);
    await client.set('footbridge:session:bad', '{"owner":1}');
    await client.set('footbridge:session:worse', 'no json');
    expect(await other.sessions.find('bad')).toBeUndefined();
    expect(await other.sessions.find('worse')).toBeUndefined();
    await client.zAdd('footbridge:session-events:bad', [
      { score: 1, value: 'no json' },
      { score: 2, value: '["1-a",1,"s","no json"]' },
      { score: 3, value: '["2-a",2,"s","{}"]' },
    ]);
    expect(await replayed(other, 'bad', '1-a')).toEqual({ stream: 's', messages: [] });
    one.bus.publish(updated('docs://one'));
    await vi.waitFor(() => expect(heard).toEqual([updated('docs://one')]), EVENTUALLY);
    expect(spent).not.toHaveBeenCalled();
  });

  it('shares the latest state of a session with the other replica', async () => {
    const { redis, one, other } = await two();
    await one.sessions.save('s', RECORD);
    expect(await other.sessions.find('s')).toEqual(RECORD);
    const client = await inspector(redis);
    expect(await client.pTTL('footbridge:session:s')).toBeGreaterThan(SESSION_IDLE_MS / 2);
    await other.sessions.save('s', { ...RECORD, subscriptions: ['docs://three'] });
    await vi.waitFor(async () => expect(await one.sessions.find('s')).toMatchObject({ subscriptions: ['docs://three'] }), EVENTUALLY);
    await one.sessions.remove('s');
    await vi.waitFor(async () => expect(await other.sessions.find('s')).toBeUndefined(), EVENTUALLY);
  });

  it('reports a record saved or removed by the other replica after its copy is dropped', async () => {
    const { one, other } = await two();
    const found: Promise<unknown>[] = [];
    const never = vi.fn();
    await one.sessions.save('s', RECORD);
    one.sessions.onChanged(() => {
      throw new Error('fails');
    });
    one.sessions.onChanged((id) => found.push(one.sessions.find(id)));
    one.sessions.onChanged(never)();
    const subscribed = { ...RECORD, subscriptions: ['docs://three'] };
    await other.sessions.save('s', subscribed);
    await vi.waitFor(() => expect(found).toHaveLength(1), EVENTUALLY);
    await other.sessions.remove('s');
    await vi.waitFor(() => expect(found).toHaveLength(2), EVENTUALLY);
    expect(await Promise.all(found)).toEqual([subscribed, undefined]);
    expect(never).not.toHaveBeenCalled();
  });

  it('drops the events of a session that the other replica removed', async () => {
    const { one, other } = await two();
    await one.sessions.save('s', RECORD);
    const first = await one.sessions.events('s').storeEvent('request', note(1));
    await one.sessions.events('s').storeEvent('request', note(2));
    await vi.waitFor(async () => expect((await replayed(other, 's', first)).messages).toEqual([note(2)]), EVENTUALLY);
    const changed = vi.fn();
    one.sessions.onChanged(changed);
    await other.sessions.remove('s');
    await vi.waitFor(() => expect(changed).toHaveBeenCalledWith('s', 'removed'), EVENTUALLY);
    expect(await replayed(one, 's', first)).toEqual({ stream: '_GET_stream', messages: [] });
  });

  it('removes a session everywhere before the removal resolves, also while another replica saves it', async () => {
    const { redis, one, other } = await two();
    const third = open(redis);
    await connected(third);
    const client = await inspector(redis);
    const removed = new Map([other, third].map((replica) => [replica, new Set<string>()]));
    for (const [replica, ids] of removed) replica.sessions.onChanged((id, change) => void (change === 'removed' && ids.add(id)));
    for (let round = 0; round < 30; round++) {
      const id = `s${round}`;
      await one.sessions.save(id, RECORD);
      expect(await other.sessions.find(id)).toEqual(RECORD);
      const saved = other.sessions.save(id, { ...RECORD, subscriptions: ['docs://three'] });
      await one.sessions.remove(id);
      for (const ids of removed.values()) expect(ids).toContain(id);
      expect(await client.get(`footbridge:session:${id}`)).toBe('removed');
      await saved;
      for (const replica of [one, other, third]) expect(await replica.sessions.find(id)).toBeUndefined();
    }
  });

  it('is separate from replicas in another database of the same server', async () => {
    const redis = await startRedis(program);
    const one = open(redis);
    const [elsewhere, neighbour] = [open({ ...redis, url: `${redis.url}/3` }), open({ ...redis, url: `${redis.url}/3` })];
    await connected(one, elsewhere, neighbour);
    const [changed, spent, taken, heard] = [vi.fn(), vi.fn(), vi.fn(), heardBy(one)];
    one.sessions.onChanged(changed);
    one.usage.onSpentElsewhere(spent);
    await one.post.receive('address', taken);
    const [arrived, counted] = [vi.fn(), vi.fn()];
    neighbour.sessions.onChanged(arrived);
    neighbour.usage.onSpentElsewhere(counted);
    elsewhere.bus.publish(updated('docs://one'));
    elsewhere.usage.spend('work:a', 1);
    await elsewhere.sessions.save('s', RECORD);
    expect(await elsewhere.post.send('address', 'hello')).toBe(false);
    await vi.waitFor(() => {
      expect(arrived).toHaveBeenCalledWith('s', 'saved');
      expect(counted).toHaveBeenCalledWith('work:a', 1);
    }, EVENTUALLY);
    expect(await one.sessions.find('s')).toBeUndefined();
    for (const each of [changed, spent, taken]) expect(each).not.toHaveBeenCalled();
    expect(heard).toEqual([]);
  });

  it('limits its copies of sessions; the others stay in Redis', async () => {
    const { redis, one } = await two();
    await fill(one, TABLE_BOUNDS.sessions);
    await redis.stop();
    await disconnected(one);
    expect(await filled(one)).toEqual({ first: 'known', second: 'unknown', last: 'known' });
  });

  it('limits the size of its copies', async () => {
    const { redis, one, other } = await two();
    await fill(one, MANY_LARGE, LARGE);
    expect(await filled(other)).toEqual({ first: 'known', second: 'known', last: 'known' });
    await redis.stop();
    await disconnected(one);
    expect(await filled(one)).toEqual({ first: 'known', second: 'unknown', last: 'known' });
  });

  it('replays events of both replicas on either one', async () => {
    const { redis, one, other } = await two();
    const first = await one.sessions.events('s').storeEvent('request', note(1));
    await one.sessions.events('s').storeEvent('another', note(2));
    await one.sessions.events('s').storeEvent('request', note(3));
    await vi.waitFor(async () => expect((await replayed(other, 's', first)).messages).toEqual([note(3)]), EVENTUALLY);
    await other.sessions.events('s').storeEvent('request', note(4));
    await vi.waitFor(async () => expect((await replayed(one, 's', first)).messages).toEqual([note(3), note(4)]), EVENTUALLY);
    const client = await inspector(redis);
    expect(await client.pTTL('footbridge:session-events:s')).toBeGreaterThan(SESSION_IDLE_MS / 2);
  });

  it('limits the events in Redis as in memory', async () => {
    const { redis, one } = await two();
    const client = await inspector(redis);
    for (let number = 0; number < 120; number++) await one.sessions.events('many').storeEvent('s', note(number));
    for (let number = 0; number < 5; number++) await one.sessions.events('large').storeEvent('s', note(number, 'x'.repeat(400_000)));
    await vi.waitFor(async () => {
      expect(await client.zCard('footbridge:session-events:many')).toBe(100);
      expect(await client.zCard('footbridge:session-events:large')).toBe(2);
    }, EVENTUALLY);
  });

  it('sends usage to the other replica in sums', async () => {
    const { one, other } = await two();
    const [elsewhere, own] = [new Map<string, number>(), vi.fn()];
    other.usage.onSpentElsewhere((key, amount) => elsewhere.set(key, (elsewhere.get(key) ?? 0) + amount));
    one.usage.onSpentElsewhere(own);
    for (let count = 0; count < 50; count++) one.usage.spend('work:a', 1);
    one.usage.spend('list:b', 3);
    await vi.waitFor(() => expect(Object.fromEntries(elsewhere)).toEqual({ 'work:a': 50, 'list:b': 3 }), EVENTUALLY);
    expect(own).not.toHaveBeenCalled();
  });

  it('delivers messages to the replica that receives them', async () => {
    const { one, other } = await two();
    const taken: string[] = [];
    await one.post.receive('broken', () => {
      throw new Error('fails');
    });
    expect(await other.post.send('broken', 'hello')).toBe(true);
    const stop = await one.post.receive('address', (message) => taken.push(message));
    expect(await other.post.send('address', 'hello')).toBe(true);
    await vi.waitFor(() => expect(taken).toEqual(['hello']), EVENTUALLY);
    stop();
    await vi.waitFor(async () => expect(await other.post.send('address', 'too late')).toBe(false), EVENTUALLY);
    expect(one.connected).toBe(true);
  });

  describe('during an outage', () => {
    it('continues at once', async () => {
      const { redis, one } = await two();
      await one.sessions.save('known', RECORD);
      const first = await one.sessions.events('known').storeEvent('s', note(1));
      await redis.stop();
      await disconnected(one);
      const heard = heardBy(one);
      one.bus.publish(updated('docs://one'));
      expect(heard).toEqual([updated('docs://one')]);
      one.usage.spend('work:a', 1);
      one.sessions.touch('known');
      expect(await one.sessions.find('known')).toEqual(RECORD);
      expect(await one.sessions.find('elsewhere')).toBe('unknown');
      await one.sessions.save('new', RECORD);
      expect(await one.sessions.find('new')).toEqual(RECORD);
      await one.sessions.remove('new');
      expect(await one.sessions.find('new')).toBeUndefined();
      await one.sessions.events('known').storeEvent('s', note(2));
      expect(await replayed(one, 'known', first)).toEqual({ stream: 's', messages: [note(2)] });
      const taken: string[] = [];
      await one.post.receive('here', (message) => taken.push(message));
      expect(await one.post.send('here', 'hello')).toBe(true);
      expect(await one.post.send('elsewhere', 'hello')).toBe(false);
      expect(taken).toEqual(['hello']);
    });

    it('catches up in both directions after a reconnect', async () => {
      const { redis, one, other } = await two();
      await one.sessions.save('old', RECORD);
      await one.sessions.save('removed', RECORD);
      await redis.stop();
      await disconnected(one, other);
      const [byOne, byOther] = [heardBy(one), heardBy(other)];
      for (let count = 0; count < 5; count++) one.bus.publish(updated('docs://one'));
      other.bus.publish(updated('docs://other'));
      const first = await one.sessions.events('old').storeEvent('s', note(1));
      await one.sessions.events('old').storeEvent('s', note(2));
      await one.sessions.save('new', RECORD);
      await one.sessions.remove('removed');
      const taken: string[] = [];
      await one.post.receive('address', (message) => taken.push(message));
      await redis.restart();
      await connected(one, other);
      await vi.waitFor(() => {
        expect(byOther).toContainEqual(updated('docs://one'));
        expect(byOne).toContainEqual(updated('docs://other'));
        for (const kind of LISTS)
          for (const heard of [byOne, byOther]) expect(heard.filter((event) => event.kind === kind)).toHaveLength(1);
      }, EVENTUALLY);
      expect(byOther.filter((event) => event.kind === 'resource_updated' && event.uri === 'docs://one')).toHaveLength(1);
      await vi.waitFor(async () => {
        expect(await other.sessions.find('old')).toEqual(RECORD);
        expect(await other.sessions.find('new')).toEqual(RECORD);
        expect((await replayed(other, 'old', first)).messages).toEqual([note(2)]);
      }, EVENTUALLY);
      expect(await other.sessions.find('removed')).toBeUndefined();
      expect(await other.post.send('address', 'hello')).toBe(true);
      await vi.waitFor(() => expect(taken).toEqual(['hello']), EVENTUALLY);

      one.bus.publish(updated('docs://later'));
      other.bus.publish(updated('docs://later still'));
      const spent = vi.fn();
      other.usage.onSpentElsewhere(spent);
      one.usage.spend('work:a', 2);
      await vi.waitFor(() => {
        expect(byOther).toContainEqual(updated('docs://later'));
        expect(byOne).toContainEqual(updated('docs://later still'));
        expect(spent).toHaveBeenCalledWith('work:a', 2);
      }, EVENTUALLY);
    });

    it('does not restore a session that the other replica removed', async () => {
      const { redis, one, other } = await two();
      await one.sessions.save('removed', RECORD);
      await one.sessions.save('kept', RECORD);
      expect(await other.sessions.find('removed')).toEqual(RECORD);
      await redis.stop();
      await disconnected(one, other);
      await one.sessions.remove('removed');
      await redis.restart();
      await connected(one, other);
      await vi.waitFor(async () => expect(await other.sessions.find('removed')).toBeUndefined(), EVENTUALLY);
      await vi.waitFor(async () => expect(await other.sessions.find('kept')).toEqual(RECORD), EVENTUALLY);
      expect(await one.sessions.find('removed')).toBeUndefined();
    });

    it('reports to a replica that was cut off what the other saved and removed, and nothing else', async () => {
      const redis = await startRedis(program);
      const proxy = await startProxy(redis);
      const [one, other] = [open(redis), open({ ...redis, url: proxy.url })];
      await connected(one, other);
      for (const id of ['saved', 'removed', 'same', 'own']) await other.sessions.save(id, RECORD);
      const changed: string[] = [];
      other.sessions.onChanged((id) => changed.push(id));
      proxy.cut();
      await disconnected(other);
      const subscribed = { ...RECORD, subscriptions: ['docs://three'] };
      await one.sessions.save('saved', subscribed);
      await one.sessions.remove('removed');
      expect(await other.sessions.find('saved')).toEqual(RECORD);
      await other.sessions.save('removed', subscribed);
      await other.sessions.save('own', subscribed);
      proxy.mend();
      await vi.waitFor(() => expect([...changed].sort()).toEqual(['removed', 'saved']), EVENTUALLY);
      await vi.waitFor(async () => expect(await one.sessions.find('own')).toEqual(subscribed), EVENTUALLY);
      expect(await other.sessions.find('saved')).toEqual(subscribed);
      expect(await other.sessions.find('removed')).toBeUndefined();
      expect(await one.sessions.find('removed')).toBeUndefined();
    });

    it('reads from the beginning when the stream is recreated with earlier IDs', async () => {
      const { redis, one, other } = await two();
      one.bus.publish(updated('docs://one'));
      const heard = heardBy(other);
      await vi.waitFor(() => expect(heard).toHaveLength(1), EVENTUALLY);
      const client = await inspector(redis);
      await client.del('footbridge:events');
      await client.xAdd('footbridge:events', '5-1', { from: 'third', event: JSON.stringify(updated('docs://third')) });
      await vi.waitFor(() => expect(heard).toEqual([updated('docs://one'), updated('docs://third')]), EVENTUALLY);
    });

    it('detects that Redis stops answering, and reconnects', async () => {
      const { redis, one, other } = await two();
      redis.freeze();
      expect(await one.sessions.find('elsewhere')).toBe('unknown');
      await disconnected(one, other);
      one.bus.publish(updated('docs://one'));
      redis.thaw();
      const heard = heardBy(other);
      await vi.waitFor(() => expect(heard).toContainEqual(updated('docs://one')), EVENTUALLY);
    });

    it('disconnects from a read-only Redis, as after a failover, and reconnects when it is writable', async () => {
      const { redis, one, other } = await two();
      const client = await inspector(redis);
      await client.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
      const heard = heardBy(other);
      one.bus.publish(updated('docs://one'));
      await disconnected(one);
      await client.sendCommand(['REPLICAOF', 'NO', 'ONE']);
      await vi.waitFor(() => expect(heard).toContainEqual(updated('docs://one')), EVENTUALLY);
    });
  });

  describe('that is unreachable at the start', () => {
    it('connects when it comes up, and then delivers earlier changes', async () => {
      const redis = await startRedis(program, { running: false });
      const lines: string[] = [];
      const one = redisState(
        redis.url,
        createLog('info', (line) => lines.push(line)),
      );
      onTestFinished(() => one.close());
      const other = open(redis);
      one.bus.publish(updated('docs://one'));
      expect(await one.sessions.find('elsewhere')).toBe('unknown');
      await vi.waitFor(() => expect(lines).toHaveLength(1), EVENTUALLY);
      const heard = heardBy(other);
      await redis.restart();
      await vi.waitFor(() => expect(heard).toContainEqual(updated('docs://one')), EVENTUALLY);
      await connected(one);
      expect(lines).toEqual([
        expect.stringMatching(/^footbridge warn: Redis is unreachable .*ECONNREFUSED/),
        'footbridge info: Reconnected to Redis\n',
      ]);
    });

    it('warns once about a wrong password, without showing it', async () => {
      const redis = await startRedis(program, { password: 'right' });
      const lines: string[] = [];
      const state = redisState(
        redis.url.replace('right', 'hunter2hunter2'),
        createLog('debug', (line) => lines.push(line)),
      );
      onTestFinished(() => state.close());
      await vi.waitFor(() => expect(lines.join('')).toContain('WRONGPASS'), EVENTUALLY);
      const [heard, before] = [heardBy(state), lines.length];
      state.bus.publish(updated('docs://one'));
      expect(heard).toHaveLength(1);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect([before, lines.length]).toEqual([1, 1]);
      expect(lines.join('')).not.toContain('hunter2');
      const rightly = open(redis);
      await connected(rightly);
      expect(state.connected).toBe(false);
    });

    it('rejects an invalid URL without showing it', () => {
      for (const url of [
        '',
        'localhost:6379',
        'http://user:hunter2@host',
        'redis://user:hunter2@host:port',
        'redis://user:hunter2@host/name',
        'redis://user:hunter2%@host',
      ]) {
        expect(() => redisState(url, silentLog)).toThrow(/^(?!.*hunter2).*redis:\/\/host:6379/);
      }
    });
  });

  it.each(['there', 'gone', 'frozen', 'never there'])('lets the process end after close when Redis is %s', async (how) => {
    const redis = await startRedis(program, { running: how !== 'never there' });
    const script = `
      import { redisState } from ${JSON.stringify(join(import.meta.dirname, '..', 'dist', 'serve', 'http', 'shared', 'redis.js'))};
      const log = { error() {}, warn() {}, info() {}, debug() {} };
      const early = redisState(${JSON.stringify(redis.url)}, log);
      await early.close();
      const state = redisState(${JSON.stringify(redis.url)}, log);
      while (${how !== 'never there'} && !state.connected) await new Promise((resolve) => setTimeout(resolve, 10));
      process.stdout.write('started');
      process.stdin.resume();
      await new Promise((resolve) => process.stdin.once('end', resolve));
      state.bus.publish({ kind: 'resource_updated', uri: 'docs://last' });
      state.usage.spend('work:a', 1);
      await state.close();
    `;
    const witness = how === 'there' ? open(redis) : undefined;
    if (witness !== undefined) await connected(witness);
    const heard = witness === undefined ? [updated('docs://last')] : heardBy(witness);
    const running = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 });
    await new Promise((resolve) => running.child.stdout?.once('data', resolve));
    if (how === 'gone') await redis.stop();
    if (how === 'frozen') redis.freeze();
    running.child.stdin?.end();
    await running;
    await vi.waitFor(() => expect(heard).toContainEqual(updated('docs://last')), EVENTUALLY);
  });
});
