/** A program that is fuzzed: started with the probe, watched for its end, its memory and the turns of its event loop. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** The longest turn of an event loop, in milliseconds of the processor and of the clock. */
export interface Turn {
  readonly cpu: number;
  readonly wall: number;
}

export interface Start {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The module that measures. */
  readonly probe: string;
}

const MEBIBYTE_IN_KIB = 1024;
const MEBIBYTE = 1024 * 1024;
const MAX_LOGGED = 256 * 1024;
/** As Node limits itself in a container with 512 MiB. */
const HEAP = '--max-old-space-size=256';

export class Program {
  readonly child: ChildProcess;
  /** The end of what it logged. */
  stderr = '';
  isOver = false;
  /** Memory when it was ready, and what of it was in use, in MiB. */
  #start = 0;
  #used = 0;

  constructor({ args, cwd, env, probe }: Start) {
    this.child = spawn(process.execPath, [HEAP, '--import', probe, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
    this.child.setMaxListeners(0);
    this.child.once('exit', () => {
      this.isOver = true;
    });
    this.child.on('error', () => {});
    this.child.stdin?.on('error', () => {});
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString()).slice(-MAX_LOGGED);
    });
  }

  /** Call when it is ready and warm: what it uses then is where its memory starts. */
  async begin(timeoutMs: number): Promise<void> {
    this.#used = await this.#inUse(timeoutMs);
    this.#start = this.#memory('VmRSS');
  }

  /** How much more memory than at its start it uses now, after collecting garbage. */
  async kept(timeoutMs: number): Promise<number> {
    return (await this.#inUse(timeoutMs)) - this.#used;
  }

  /** The most memory that it ever had beyond its start, in MiB. */
  get growth(): number {
    return this.isOver ? 0 : Math.max(0, this.#memory('VmHWM') - this.#start);
  }

  /** The longest turn since the last call; undefined if it does not answer in time, or has ended. */
  async turn(timeoutMs: number): Promise<Turn | undefined> {
    const answer = await this.ask<Turn>({ probe: 'turn' }, (message) => ('probe' in message ? message : undefined), timeoutMs);
    return answer;
  }

  /** Sends a message to the program; resolves with the first answer that `read` takes, or undefined. */
  ask<T>(message: object, read: (answer: object & Record<string, unknown>) => unknown, timeoutMs: number): Promise<T | undefined> {
    const answered = new Promise<T | undefined>((resolve) => {
      const done = (value: T | undefined) => {
        this.child.off('message', listen).off('exit', leave);
        clearTimeout(timer);
        resolve(value);
      };
      const listen = (answer: unknown) => {
        const value = typeof answer === 'object' && answer !== null ? read({ ...answer }) : undefined;
        if (value !== undefined) done(value as T);
      };
      const leave = () => done(undefined);
      const timer = setTimeout(leave, timeoutMs);
      this.child.on('message', listen).once('exit', leave);
      if (this.isOver || !this.child.connected) leave();
      else this.child.send(message, (error) => error !== null && leave());
    });
    return answered;
  }

  async end(): Promise<void> {
    if (this.isOver) return;
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await Promise.race([exited, wait(5000, undefined, { ref: false })]);
  }

  async #inUse(timeoutMs: number): Promise<number> {
    const bytes = await this.ask<number>({ probe: 'used' }, (message) => message['used'], timeoutMs);
    return (bytes ?? 0) / MEBIBYTE;
  }

  #memory(field: 'VmRSS' | 'VmHWM'): number {
    try {
      const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
      return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / MEBIBYTE_IN_KIB;
    } catch {
      return 0;
    }
  }
}
