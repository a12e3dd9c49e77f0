/** Splits bytes into lines of bounded length. */

const NEWLINE = 0x0a;

export class LineReader {
  readonly #parts: Buffer[] = [];
  readonly #longest: number;
  readonly #take: (line: string) => void;
  readonly #refuse: () => void;
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
      this.#keep(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  };

  /** Takes the rest as a line. */
  end(): void {
    if (this.#length > 0) this.#finish();
  }

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    this.#length += part.length;
    if (this.#length > this.#longest) {
      this.#skipping = true;
      this.#parts.length = 0;
      this.#refuse();
    } else if (part.length > 0) this.#parts.push(part);
  }

  #finish(): void {
    const [only] = this.#parts;
    const line = (this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts)).toString('utf8').trim();
    const skipped = this.#skipping;
    this.#parts.length = 0;
    this.#length = 0;
    this.#skipping = false;
    if (!skipped && line !== '') this.#take(line);
  }
}
