/** Splits bytes into lines of bounded length. */
import { StringDecoder } from 'node:string_decoder';

const NEWLINE = 0x0a;

export class LineReader {
  readonly #decoder = new StringDecoder('utf8');
  readonly #longest: number;
  readonly #take: (line: string) => void;
  readonly #refuse: () => void;
  /**
   * The received part of a line, decoded as it arrives. Decoding all of it at the end would block other tasks, and take twice the memory.
   */
  #text = '';
  /** Its bytes. */
  #length = 0;
  #skipping = false;

  /** `take` gets each non-empty line, trimmed; `refuse` is called once for a line that is too long. */
  constructor(longest: number, take: (line: string) => void, refuse: () => void) {
    this.#longest = longest;
    this.#take = take;
    this.#refuse = refuse;
  }

  readonly push = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#length === 0 && end - start <= this.#longest) this.#give(chunk.toString('utf8', start, end));
      else {
        this.#keep(chunk.subarray(start, end));
        this.end();
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  };

  /** Handles the rest as a line. */
  end(): void {
    const line = this.#text + this.#decoder.end();
    this.#text = '';
    this.#length = 0;
    this.#skipping = false;
    this.#give(line);
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#skipping) return;
    if (this.#length > this.#longest) {
      this.#skipping = true;
      this.#text = '';
      this.#decoder.end();
      this.#refuse();
    } else this.#text += this.#decoder.write(part);
  }

  #give(line: string): void {
    const trimmed = line.trim();
    if (trimmed !== '') this.#take(trimmed);
  }
}
