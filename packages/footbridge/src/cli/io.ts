/** The environment of a command: streams, variables and folders. Tests pass their own. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import picocolors from 'picocolors';
import { stopSignal } from '../serve/stop-signal.js';
import { type Columns, fitted, hanging, type TableColumn, table } from './layout.js';
import { visibleJson } from './terminal.js';

export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. Relative paths of the command line start here. */
  readonly cwd: string;
  readonly home: string;
  /** Ends a command that serves. Default: SIGINT, SIGTERM and SIGHUP. */
  readonly stop: AbortSignal;
}

/** For a terminal that does not report its width. */
export const DEFAULT_COLUMNS = 80;

export class Io {
  readonly #given: Partial<Surroundings>;
  #colors: ReturnType<typeof picocolors.createColors> | undefined;

  constructor(given: Partial<Surroundings> = {}) {
    this.#given = given;
  }

  get stdin(): Surroundings['stdin'] {
    return this.#given.stdin ?? process.stdin;
  }

  get stdout(): Output {
    return this.#given.stdout ?? process.stdout;
  }

  get stderr(): Output {
    return this.#given.stderr ?? process.stderr;
  }

  get env(): NodeJS.ProcessEnv {
    return this.#given.env ?? process.env;
  }

  get cwd(): string {
    return this.#given.cwd ?? process.cwd();
  }

  get home(): string {
    return this.#given.home ?? homedir();
  }

  /** Off unless stdout is a terminal. */
  get colors(): ReturnType<typeof picocolors.createColors> {
    const isColored = this.stdout.isTTY === true && !this.env['NO_COLOR'] && this.env['TERM'] !== 'dumb';
    this.#colors ??= picocolors.createColors(isColored);
    return this.#colors;
  }

  /** Of stdout. Undefined into a pipe or a file, unless `COLUMNS` names a width. */
  get columns(): Columns {
    return this.#columnsOf(this.stdout);
  }

  #columnsOf(stream: Output): Columns {
    if (stream.isTTY === true) return stream.columns || DEFAULT_COLUMNS;
    const given = Number(this.env['COLUMNS']);
    return Number.isInteger(given) && given > 0 ? given : undefined;
  }

  /** Each line is wrapped to the terminal, and continues below its own indent. */
  print(text: string): void {
    this.stdout.write(`${fitted(text, this.columns)}\n`);
  }

  /** A mark and a text that continues below itself. */
  printItem(mark: string, text: string): void {
    this.stdout.write(`${hanging(mark, text, this.columns)}\n`);
  }

  printTable(columns: readonly TableColumn[], rows: readonly (readonly string[])[], indent = ''): void {
    const lines = this.tableLines(columns, rows, indent);
    if (lines.length > 0) this.printExactly(lines.join('\n'));
  }

  /** As `printTable` prints them, the title first if there is one. */
  tableLines(columns: readonly TableColumn[], rows: readonly (readonly string[])[], indent = ''): string[] {
    return table(columns, rows, this.columns, indent);
  }

  /** Never wrapped, for what people copy or programs read. */
  printExactly(text: string): void {
    this.stdout.write(`${text}\n`);
  }

  /** Invisible characters are escaped: what is printed may come from a skill or a server. */
  printJson(value: unknown): void {
    this.printExactly(visibleJson(value, 2));
  }

  printError(text: string): void {
    this.stderr.write(`${fitted(text, this.#columnsOf(this.stderr))}\n`);
  }

  path(name: string): string {
    return resolve(this.cwd, name);
  }

  stopped(): Promise<void> {
    const { stop } = this.#given;
    if (stop === undefined) return stopSignal();
    return new Promise((resolve) => (stop.aborted ? resolve() : stop.addEventListener('abort', () => resolve(), { once: true })));
  }
}

export const processIo = new Io();
