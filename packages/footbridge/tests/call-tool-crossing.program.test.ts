/** `call_tool` forwards what a direct call does: server requests, progress, cancellation and every kind of content. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY, type Json } from './support/client.js';
import { COMBINATIONS, createGround, type Ground, plain, SERVER } from './support/crossing.js';
import type { Host } from './support/host.js';
import { useSources } from './support/start.js';

useSources();

/** Without annotations a tool may be destructive. */
const through = (name: string, args: Json): Json => ({
  name: name === 'structured' ? 'call_tool' : 'call_destructive_tool',
  arguments: { name, arguments: args },
});

describe.each(COMBINATIONS)('a $host host and a $server server', ({ host: era, server }) => {
  let ground: Ground;
  let host: Host;

  beforeAll(async () => {
    ground = createGround();
    host = await ground.start(era, [ENTRY, 'wrap', '--tool-search', 'on', '--', process.execPath, SERVER, server]);
  });
  afterAll(() => ground.clear());

  it.each([
    ['every kind of content, such as images', 'structured', { city: 'Bern' }],
    ['the failure of a tool', 'fail', {}],
    ['a question to the user', 'elicit', {}],
    ['a page to visit', 'visit', {}],
    ['a question to the model', 'sample', {}],
    ['the roots', 'roots', {}],
    ['several questions at once', 'several', {}],
    ['one question after another', 'rounds', {}],
  ])('%s', async (_, name, args) => {
    const ask = async (params: Json) => {
      const before = host.questions.length;
      const answer = plain(await host.converse('tools/call', params));
      // Between the eras each page to visit gets an id.
      const questions = host.questions.slice(before).map(([method, about]) => [method, { ...about, elicitationId: undefined }]);
      return { answer, questions };
    };
    const direct = await ask({ name, arguments: args });
    expect(direct.answer.error).toBeUndefined();
    expect(await ask(through(name, args))).toEqual(direct);
  });

  it('progress', async () => {
    const progressOf = async (params: Json, progressToken: string) => {
      await host.converse('tools/call', { ...params, _meta: { progressToken } });
      await host.seen(({ params: sent }) => sent?.progressToken === progressToken && sent.progress === 3);
      return host
        .heard('notifications/progress')
        .filter((each) => each.progressToken === progressToken)
        .map(({ progressToken: _, ...rest }) => rest);
    };
    const direct = await progressOf({ name: 'progress', arguments: {} }, 'direct');
    expect(direct).toHaveLength(3);
    expect(await progressOf(through('progress', {}), 'through')).toEqual(direct);
  });

  it('cancellation', async () => {
    const timesOf = async (word: string) => (await host.ask('heard')).filter((each: Json) => each === word).length;
    for (const params of [{ name: 'wait', arguments: {} }, through('wait', {})]) {
      const [waiting, cancelled] = [await timesOf('waiting'), await timesOf('cancelled')];
      const id = host.send('tools/call', params);
      while ((await timesOf('waiting')) === waiting);
      host.cancel(id);
      while ((await timesOf('cancelled')) === cancelled);
    }
  });
});
