/** What a scan knows of skills beside their names, in few large pieces of memory: an object for each would take several times as much. */
import type { Stamp } from './stamp.js';

/** Numbers of a row: those of a stamp, and whether it can be trusted. */
export const ROW = 6;
/** Rows, and bytes of their descriptions, that are kept together. */
const MAX_ROWS = 256;
const FIRST_BYTES = 16 * 1024;
const MAX_BYTES = 64 * 1024;
/** A character takes at most so many bytes. */
const LONGEST_CHARACTER = 3;

export class SkillRows {
  #stamps: Float64Array<ArrayBufferLike>;
  /** Of each row, where its description ends, counted in bytes. */
  #ends: Uint32Array<ArrayBufferLike>;
  #texts: Buffer;
  #count: number;

  /** Without arguments there are none yet. */
  constructor(
    stamps: Float64Array<ArrayBufferLike> = new Float64Array(MAX_ROWS * ROW),
    ends: Uint32Array<ArrayBufferLike> = new Uint32Array(MAX_ROWS),
    texts: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES),
    count = 0,
  ) {
    this.#stamps = stamps;
    this.#ends = ends;
    this.#texts = texts;
    this.#count = count;
  }

  get isFull(): boolean {
    return this.#count === MAX_ROWS || this.#startOf(this.#count) >= MAX_BYTES;
  }

  /** Adds a row and returns its number. */
  add({ size, modified, changed, inode, device }: Stamp, settled: boolean, description: string): number {
    const row = this.#count++;
    const from = this.#startOf(row);
    if (this.#texts.length - from < LONGEST_CHARACTER * description.length) {
      const larger = Buffer.allocUnsafeSlow(2 * this.#texts.length + LONGEST_CHARACTER * description.length);
      this.#texts.copy(larger);
      this.#texts = larger;
    }
    this.#stamps.set([size, modified, changed, inode, device, settled ? 1 : 0], row * ROW);
    this.#ends[row] = from + this.#texts.write(description, from);
    return row;
  }

  /** Frees what was kept for more rows. */
  close(): void {
    this.#stamps = this.#stamps.slice(0, this.#count * ROW);
    this.#ends = this.#ends.slice(0, this.#count);
    const texts = Buffer.allocUnsafeSlow(this.#startOf(this.#count));
    this.#texts.copy(texts);
    this.#texts = texts;
  }

  number(row: number, column: number): number {
    return this.#stamps[row * ROW + column] ?? 0;
  }

  /** The numbers of a row. */
  numbers(row: number): Float64Array {
    return this.#stamps.subarray(row * ROW, (row + 1) * ROW);
  }

  /** The bytes of a description. */
  bytes(row: number): Buffer {
    return this.#texts.subarray(this.#startOf(row), this.#ends[row]);
  }

  description(row: number): string {
    return this.#texts.toString('utf8', this.#startOf(row), this.#ends[row]);
  }

  #startOf(row: number): number {
    return row === 0 ? 0 : (this.#ends[row - 1] ?? 0);
  }
}
