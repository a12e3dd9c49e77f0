/** A server over stdio, in one protocol era for its life. */
import { createInterface } from 'node:readline';
import { type Era, RAW_ID, type Sent, type StdioCase } from '../case.js';
import { invalidMessage, leaksIn, mayBeRefusedUnread } from '../checks.js';
import { isObject, jsonOf, textOf, type Value } from '../value.js';
import type { World } from '../world.js';
import { longestPing } from './ping.js';
import { Program } from './program.js';
import type { Places, Ran, Target } from './target.js';

const ENVELOPE: Value = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** Answered when they end, which is never. */
const ENDLESS: ReadonlySet<string> = new Set(['subscriptions/listen']);

const MEBIBYTE = 1024 * 1024;
/** For a mebibyte of lines, which are read before the ping that follows them. */
const READING_MS = 10;

interface Answers {
  readonly lines: string[];
  readonly ids: Map<string, number>;
  readonly problems: string[];
}

export async function startStdio(era: Era, world: World, { command, probe }: Places, config: string): Promise<Target<StdioCase>> {
  const program = new Program({ args: [command, '--prompts', '--config', config], cwd: world.project, env: world.env, probe });
  let answers: Answers = { lines: [], ids: new Map(), problems: [] };
  const waiting = new Set<() => void>();
  if (program.child.stdout !== null)
    createInterface({ input: program.child.stdout })
      .on('line', (line) => {
        take(line, answers);
        for (const wake of waiting) wake();
      })
      .on('error', () => {});
  let lastId = 0;
  const write = (line: string, written = () => {}) => program.child.stdin?.write(`${line}\n`, written);
  const message = (sent: Exclude<Sent, { line: Value }>, id: string | undefined): string => {
    const method = 'request' in sent ? sent.request : sent.notify;
    const params = withEnvelope(sent.params, era);
    return jsonOf({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, ...(params === undefined ? {} : { params }) });
  };
  /** Sends all, and a last request whose answer shows that the server goes on; resolves when everything has its answer. */
  const run = async ({ send }: StdioCase, timeoutMs: number): Promise<Ran> => {
    const mine: Answers = { lines: [], ids: new Map(), problems: [] };
    answers = mine;
    const expected: string[] = [];
    const listening: string[] = [];
    const asked: string[] = [];
    let mayCancel = false;
    for (const each of send) {
      if ('line' in each) asked.push(textOf(each.line).replace(/[\r\n]+/g, ' '));
      else {
        const id = 'request' in each ? `fuzz-${++lastId}` : undefined;
        const line = message(each, id);
        asked.push(line);
        mayCancel ||= 'notify' in each && each.notify === 'notifications/cancelled';
        if (id === undefined || !('request' in each) || mayBeRefusedUnread(line)) continue;
        (ENDLESS.has(each.request) ? listening : expected).push(id);
      }
    }
    const last = `fuzz-${++lastId}`;
    expected.push(last);
    for (const line of asked) write(line);
    const isDone = () => (mayCancel ? mine.ids.has(last) : expected.every((id) => mine.ids.has(id)));
    let next: string | undefined = last;
    const ping = async (sent: () => void) => {
      const id = next ?? `fuzz-${++lastId}`;
      next = undefined;
      write(message({ request: era === 'legacy' ? 'ping' : 'server/discover' }, id), sent);
      await until(() => mine.ids.has(id), timeoutMs, program, waiting);
      return true;
    };
    const pinging = longestPing({ program, isOver: isDone, ping });
    await until(isDone, timeoutMs, program, waiting);
    const pingMs = Math.max(0, (await pinging) - (asked.join('').length / MEBIBYTE) * READING_MS);
    for (const requestId of listening) write(message({ notify: 'notifications/cancelled', params: { requestId } }, undefined));
    const problems = [...mine.problems];
    if (!isDone() && !program.isOver) problems.push(`${expected.filter((id) => !mine.ids.has(id)).length} requests without an answer`);
    // Lines that are sent as they are may share an id.
    for (const [id, count] of mine.ids) if (count > 1 && id !== RAW_ID) problems.push(`${count} answers to the request ${id}`);
    const asText = asked.join('\n');
    for (const line of mine.lines) problems.push(...leaksIn(line, asText, world, !line.includes('"error"')));
    return { problems, pingMs };
  };
  const target = { program, run };
  if (era === 'legacy') {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } };
    await run({ entry: 'stdio', era, send: [{ request: 'initialize', params }] }, 20_000);
    write(message({ notify: 'notifications/initialized' }, undefined));
  }
  return target;
}

function take(line: string, { lines, ids, problems }: Answers): void {
  lines.push(line);
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    problems.push(`a line that is not JSON: ${line.slice(0, 200)}`);
    return;
  }
  const wrong = invalidMessage(message);
  if (wrong !== undefined) problems.push(`not a JSON-RPC message (${wrong}): ${line.slice(0, 200)}`);
  const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  if (method === undefined && typeof id === 'string') ids.set(id, (ids.get(id) ?? 0) + 1);
}

function withEnvelope(params: Value | undefined, era: Era): Value | undefined {
  if (era === 'legacy') return params;
  if (params === undefined) return { _meta: ENVELOPE };
  if (!isObject(params)) return params;
  return '_meta' in params ? params : { ...params, _meta: ENVELOPE };
}

/** Resolves when the condition holds, the program has ended, or the time is over. What is in `waiting` is called when it may hold. */
async function until(holds: () => boolean, timeoutMs: number, program: Program, waiting: Set<() => void>): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      waiting.delete(wake);
      program.child.off('exit', done);
      resolve();
    };
    const wake = () => void (holds() && done());
    const timer = setTimeout(done, timeoutMs);
    program.child.once('exit', done);
    waiting.add(wake);
    if (program.isOver) done();
  });
}
