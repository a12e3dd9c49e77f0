/** Commands in one process: serving hostile skills, upstreams, locks and configurations, adding sources, reading the files of hosts. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidMessage, leaksIn, mayBeRefusedUnread } from '../checks.js';
import type { HostileUpstream } from '../upstream.js';
import type { World } from '../world.js';
import { longestPing } from './ping.js';
import { type BenchCase, type Command, prepare } from './prepare.js';
import { Program, type Turn } from './program.js';
import type { Places, Target } from './target.js';

/** A command that ends gives no other answer: it only must end soon. */
const COMMAND_TURN_MS = 2000;
/** Requests of one case to the pages of a server. More are a loop. */
const MAX_REQUESTS = 300;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

export async function startBench(world: World, { bench, probe, relay }: Places, upstream: HostileUpstream): Promise<Target<BenchCase>> {
  const program = new Program({ args: [bench], cwd: world.project, env: world.env, probe });
  await program.ask({ hello: true }, (answer) => answer['ready'], 20_000);
  const files = ['stdout', 'stderr'].map((name) => join(world.root, `${name}.txt`));
  const command = async (run: Command, timeoutMs: number): Promise<Ended | undefined> => {
    const answers = run.input?.trimEnd().split('\n').length ?? 0;
    const ran = await program.ask<Pick<Ended, 'code'>>(
      { run: { env: {}, input: '', answers, files, ...run } },
      (answer) => answer['ran'],
      timeoutMs,
    );
    if (ran === undefined) return undefined;
    const [out = '', errors = ''] = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    return { ...ran, out, errors };
  };
  let lastPing = 0;
  const ping = async (timeoutMs: number) => {
    const id = `ping-${++lastPing}`;
    const isServed = await program.ask<boolean>({ ping: id }, ({ isServed, pinged }) => (pinged === id ? isServed : undefined), timeoutMs);
    return isServed !== false;
  };
  return {
    program,
    async run(given, timeoutMs) {
      const folder = world.fresh();
      const { commands, asked, behaviour } = prepare(given, folder, world, { upstream, relay });
      upstream.become(behaviour);
      const problems: string[] = [];
      let turn: Turn = { cpu: 0, wall: 0 };
      let pingMs = 0;
      for (const each of commands) {
        let isOver = false;
        const running = command(each, timeoutMs).finally(() => {
          isOver = true;
        });
        if (each.isServing) {
          const longest = await longestPing({ program, isOver: () => isOver, ping: () => ping(timeoutMs) });
          pingMs = Math.max(pingMs, longest);
        }
        const ended = await running;
        const words = each.args[0] ?? 'serve';
        if (ended === undefined) {
          if (!program.isOver) problems.push(`${words} did not end`);
          break;
        }
        problems.push(...problemsOf(ended, each, asked, world));
        const longest = (await program.turn(timeoutMs)) ?? turn;
        if (each.isServing) turn = longest;
        else if (longest.cpu > COMMAND_TURN_MS) problems.push(`${words} computed for ${Math.round(longest.cpu)} ms in one turn`);
      }
      if (upstream.asked > MAX_REQUESTS) problems.push(`${upstream.asked} requests to the pages of a server`);
      upstream.become(undefined);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
      return { problems, turn, pingMs };
    },
  };
}

function problemsOf({ code, out, errors }: Ended, { input }: Command, asked: string, world: World): string[] {
  const problems = [out, errors].flatMap((text) => leaksIn(text, asked, world, true));
  if (![0, 1, 2].includes(code)) problems.push(`exit code ${code}`);
  if (input === undefined) return problems;
  const answers = new Map<unknown, number>();
  for (const line of out.split('\n')) {
    if (line === '') continue;
    try {
      const message: { id?: unknown; method?: unknown } = JSON.parse(line);
      const wrong = invalidMessage(message);
      if (wrong !== undefined) problems.push(`not a JSON-RPC message (${wrong}): ${line.slice(0, 200)}`);
      if (message.method === undefined) answers.set(message.id, (answers.get(message.id) ?? 0) + 1);
    } catch {
      problems.push(`a line that is not JSON: ${line.slice(0, 200)}`);
    }
  }
  for (const line of code === 0 ? input.split('\n') : []) {
    const [, id, method] = /"id":(\d+),"method":"([^"]+)"/.exec(line) ?? [];
    const count = answers.get(Number(id)) ?? 0;
    if (id !== undefined && count !== 1 && !mayBeRefusedUnread(line) && isJson(line)) problems.push(`${count} answers to ${method}`);
  }
  return problems;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
