/** The environment of a command: streams, variables and folders. Tests pass their own. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import picocolors from 'picocolors';
import { stopSignal } from '../serve/stop-signal.js';
import { addressOf, hyperlink, supportsHyperlinks } from './hyperlinks.js';
import { type Columns, entryLines, fitted, hanging, type ShownEntry, type TableColumn, table } from './layout.js';
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

  /** The same surroundings, but for some. */
  with(others: Partial<Surroundings>): Io {
    return new Io({ ...this.#given, ...others });
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
    this.#colors ??= picocolors.createColors(this.#isColored(this.stdout));
    return this.#colors;
  }

  /** The text, which opens a file or folder where the terminal can do that. */
  fileLink(text: string, path: string): string {
    return supportsHyperlinks(this.stdout.isTTY === true, this.env) ? hyperlink(text, addressOf(path)) : text;
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

  /** Names with a description each; `aligned` in one column if there is room. */
  printEntries(entries: readonly ShownEntry[], aligned = false): void {
    if (entries.length > 0) this.printExactly(entryLines(entries, this.columns, aligned).join('\n'));
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
    const shown = fitted(text, this.#columnsOf(this.stderr));
    this.stderr.write(`${this.#isColored(this.stderr) ? shown.replace(PREFIX, paintedPrefix) : shown}\n`);
  }

  #isColored(stream: Output): boolean {
    return stream.isTTY === true && !this.env['NO_COLOR'] && this.env['TERM'] !== 'dumb';
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

/** Of errors and warnings. */
const PREFIX = /^footbridge (error|warn):/;

function paintedPrefix(prefix: string, level: string): string {
  const { bold, red, yellow } = picocolors.createColors(true);
  return bold(level === 'error' ? red(prefix) : yellow(prefix));
}

export const processIo = new Io();
