/** Reads a stream in pieces of known length, without buffering more than requested. */
import type { Readable } from 'node:stream';
import type { Expansion } from './unpacking.js';

export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #expansion: Expansion | undefined;
  #rest: Buffer = Buffer.alloc(0);

  constructor(input: Readable, expansion?: Expansion) {
    this.#chunks = (input as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    this.#expansion = expansion;
  }

  /** The next bytes if they have arrived, otherwise undefined. A view of a larger buffer. */
  atHand(length: number): Buffer | undefined {
    return this.#rest.length >= length ? this.#take(length) : undefined;
  }

  /** The next bytes; undefined if there are fewer. */
  async read(length: number): Promise<Buffer | undefined> {
    if (this.#rest.length >= length) return this.#take(length);
    const result = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      if (this.#rest.length === 0 && !(await this.#more())) return undefined;
      const part = this.#take(Math.min(length - filled, this.#rest.length));
      part.copy(result, filled);
      filled += part.length;
    }
    return result;
  }

  /** The next bytes as they arrive. Throws the result of `ended` if there are fewer. */
  async *pieces(length: number, ended: () => Error): AsyncGenerator<Buffer, void, undefined> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw ended();
      const part = this.#take(Math.min(left, this.#rest.length));
      left -= part.length;
      yield part;
    }
  }

  /** The bytes before `mark`, which is dropped; undefined if it is not among the next `longest` bytes. */
  async readUntil(mark: number, longest: number): Promise<Buffer | undefined> {
    const near = this.#rest.subarray(0, longest).indexOf(mark);
    if (near !== -1) return this.#take(near + 1).subarray(0, near);
    let found: Buffer = Buffer.alloc(0);
    while (found.length <= longest) {
      if (this.#rest.length === 0 && !(await this.#more())) return undefined;
      const at = this.#rest.indexOf(mark);
      if (at !== -1) return Buffer.concat([found, this.#take(at + 1).subarray(0, at)]);
      found = Buffer.concat([found, this.#take(this.#rest.length)]);
    }
    return undefined;
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) return;
      left -= this.#take(Math.min(left, this.#rest.length)).length;
    }
  }

  #take(length: number): Buffer {
    const part = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return part;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return false;
    this.#expansion?.take(value.length);
    this.#rest = value;
    return true;
  }
}
