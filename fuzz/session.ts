/** Runs cases against programs that are started when they are needed, and again after they have failed. */
import type { Case } from './case.js';
import { MAX_GROWTH, MAX_KEPT, turnLimit } from './limits.js';
import { startBench } from './targets/bench.js';
import { HTTP_CONFIG, startHttp } from './targets/http.js';
import type { Turn } from './targets/program.js';
import { startStdio } from './targets/stdio.js';
import type { Places, Ran, Target } from './targets/target.js';
import { type HostileUpstream, startUpstream } from './upstream.js';
import { WARMING } from './warming.js';
import { createWorld, type World } from './world.js';

/** How long a case may take before its program counts as frozen. */
const TIMEOUT_MS = 90_000;
const PROBE_MS = 5000;
/** A turn that is too long must be so each time. */
const REPEATS = 3;
/** How many cases before a long turn may have caused it. */
const RECENT = 4;

export interface Outcome {
  readonly problems: readonly string[];
  readonly turn: Turn;
  /** The memory of the program beyond its start, in MiB. */
  readonly growth: number;
  /** The longest that a ping waited. */
  readonly pingMs: number;
}

/** Of a case that did not run. */
export const NOTHING = { turn: { cpu: 0, wall: 0 }, growth: 0, pingMs: 0 } as const;

export class Session {
  readonly #places: Places;
  readonly #turnLimit: () => number;
  readonly #world: World;
  readonly #upstream: HostileUpstream;
  readonly #config: string;
  readonly #httpConfig: string;
  readonly #targets = new Map<string, Promise<Target<Case>>>();
  #recent: readonly Case[] = [];
  /** The most memory that any program had beyond its start, in MiB. */
  growth = 0;

  private constructor(places: Places, world: World, upstream: HostileUpstream, limit: () => number) {
    this.#places = places;
    this.#turnLimit = limit;
    this.#world = world;
    this.#upstream = upstream;
    const served = { standardFolders: false, skills: ['./skills'], mcpServers: { up: { url: `http://127.0.0.1:${upstream.port}/mcp` } } };
    this.#config = world.write('project/stdio.json', JSON.stringify(served));
    this.#httpConfig = world.write('project/http.json', JSON.stringify({ ...served, http: HTTP_CONFIG }));
  }

  /** `limit` says how many milliseconds of the processor a turn may take at the moment. */
  static async open(places: Places, limit = turnLimit): Promise<Session> {
    return new Session(places, createWorld(), await startUpstream(), limit);
  }

  /**
   * Runs a case. What costs too much is a problem if it does so again, with the cases before it if need be, and in a program that
   * has just been started as well: one that has run for long has much garbage to collect, which is not the input's doing.
   */
  async run(given: Case): Promise<Outcome> {
    const recent = [...this.#recent, given];
    this.#recent = recent.slice(-RECENT);
    const first = await this.#once(given);
    const program = (await this.#target(keyOf(given))).program;
    if (first.problems.length > 0 || this.#excess(first) === undefined) return first;
    const kept = first.growth > MAX_GROWTH ? await program.kept(PROBE_MS) : 0;
    if (kept > MAX_KEPT) {
      await this.#restart(keyOf(given));
      return { ...first, problems: [`the program keeps ${Math.round(kept)} MiB more than at its start`] };
    }
    for (const cases of [[given], recent]) {
      let repeated = await this.#least(cases);
      if (repeated.problems.length === 0 && this.#excess(repeated) !== undefined) {
        await this.#restart(keyOf(given));
        repeated = await this.#least(cases);
      }
      if (repeated.problems.length > 0) return repeated;
      const excess = this.#excess(repeated);
      if (excess === undefined) continue;
      await this.#restart(keyOf(given));
      const cause = cases.length > 1 ? ` after ${cases.length - 1} other cases: ${JSON.stringify(cases.slice(0, -1))}` : '';
      return { ...repeated, problems: [excess + cause] };
    }
    // It happened once: a collection of garbage, or code that was compiled.
    return { ...first, ...NOTHING };
  }

  /** What of an outcome is more than may be. */
  #excess({ turn, growth, pingMs }: Outcome): string | undefined {
    const limit = this.#turnLimit();
    if (turn.cpu > limit) return `one turn of the event loop computed for ${Math.round(turn.cpu)} ms`;
    if (pingMs > limit) return `a ping waited for ${Math.round(pingMs)} ms`;
    if (growth > MAX_GROWTH) return `the memory grew by ${Math.round(growth)} MiB`;
    return undefined;
  }

  /** The least that the cases cost in a few runs. */
  async #least(cases: readonly Case[]): Promise<Outcome> {
    const runs: Outcome[] = [];
    while (runs.length < REPEATS) {
      const outcomes: Outcome[] = [];
      for (const each of cases) {
        const outcome = await this.#once(each);
        if (outcome.problems.length > 0) return outcome;
        outcomes.push(outcome);
      }
      runs.push(combined(outcomes, 1));
    }
    return combined(runs, -1);
  }

  async #once(given: Case): Promise<Outcome> {
    const key = keyOf(given);
    const target = await this.#target(key);
    const { program } = target;
    const ran: Ran = await target.run(given, TIMEOUT_MS);
    const problems = [...ran.problems];
    const turn = program.isOver ? undefined : (ran.turn ?? (await program.turn(PROBE_MS)));
    const { growth } = program;
    this.growth = Math.max(this.growth, growth);
    if (program.isOver) problems.unshift(`the program has ended: ${program.stderr.slice(-1000)}`);
    else if (turn === undefined) problems.unshift(`the event loop was blocked for more than ${(TIMEOUT_MS + PROBE_MS) / 1000} seconds`);
    if (problems.length > 0) await this.#restart(key);
    return { problems, turn: turn ?? NOTHING.turn, growth, pingMs: ran.pingMs };
  }

  async #target(key: string): Promise<Target<Case>> {
    const known = this.#targets.get(key) ?? this.#start(key);
    this.#targets.set(key, known);
    return known;
  }

  async #start(key: string): Promise<Target<Case>> {
    const target: Target<never> = await this.#launch(key);
    // What runs for the first time is loaded and compiled, which is not the input's doing.
    for (const each of WARMING[key] ?? []) await (target as Target<Case>).run(each, TIMEOUT_MS);
    await target.program.turn(PROBE_MS);
    await target.program.begin(PROBE_MS);
    return target as Target<Case>;
  }

  #launch(key: string): Promise<Target<never>> {
    if (key === 'http') return startHttp(this.#world, this.#places, this.#httpConfig);
    if (key === 'bench') return startBench(this.#world, this.#places, this.#upstream);
    return startStdio(key === 'modern' ? 'modern' : 'legacy', this.#world, this.#places, this.#config);
  }

  async #restart(key: string): Promise<void> {
    const target = await this.#targets.get(key);
    this.#targets.delete(key);
    this.#recent = [];
    await target?.program.end();
  }

  async close(): Promise<void> {
    for (const key of [...this.#targets.keys()]) await this.#restart(key);
    this.#upstream.close();
    this.#world.remove();
  }
}

/** The most of everything that the outcomes cost, or with -1 the least. */
function combined(outcomes: readonly Outcome[], sign: 1 | -1): Outcome {
  const [dearest = { problems: [], ...NOTHING }] = [...outcomes].sort((one, other) => sign * (other.turn.cpu - one.turn.cpu));
  const extreme = (costs: readonly number[]) => sign * Math.max(...costs.map((cost) => sign * cost));
  return {
    ...dearest,
    growth: extreme(outcomes.map(({ growth }) => growth)),
    pingMs: extreme(outcomes.map(({ pingMs }) => pingMs)),
  };
}

function keyOf(given: Case): string {
  if (given.entry === 'stdio') return given.era;
  return given.entry === 'http' ? 'http' : 'bench';
}
