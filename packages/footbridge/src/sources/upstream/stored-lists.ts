/**
 * The lists of a server as text: a line that says whose they are, then lines of a few entries each, so that very many are written and
 * parsed piece by piece.
 */
import { isFields } from '../../json.js';
import { isLargeJson, jsonPieces } from '../../json-pieces.js';
import { type UpstreamListing, wholeListing } from './listing.js';

/** What is stored of a listing. */
export type Remembered = Omit<UpstreamListing, 'notices'>;

/** The first line. */
export interface StoredHead extends Pick<Remembered, 'handshake' | 'era'> {
  readonly key: string;
  readonly variant: string;
  readonly program: string;
}

/** Characters of a line with several entries. */
const LINE = 32 * 1024;

const LISTS = ['tools', 'prompts', 'resources', 'templates', 'skills'] as const;

/** The text, in pieces that take a millisecond each. */
export function* storedPieces(head: Omit<StoredHead, 'handshake' | 'era'>, listing: Remembered): Generator<string, void> {
  const { handshake, era } = listing;
  yield* jsonPieces({ ...head, handshake, era });
  yield '\n';
  for (const name of LISTS) yield* linesOf(name, listing[name]);
}

function* linesOf(name: string, entries: readonly object[]): Generator<string, void> {
  let line = '';
  for (const entry of entries) {
    line += line === '' ? `{"${name}":[` : ',';
    const isLong = isLargeJson(entry);
    if (isLong) {
      yield line;
      yield* jsonPieces(entry);
      line = '';
    } else line += JSON.stringify(entry);
    if (!isLong && line.length < LINE) continue;
    yield `${line}]}\n`;
    line = '';
  }
  if (line !== '') yield `${line}]}\n`;
}

/** Takes the values of all lines, whose text was what was stored: they need no check. */
export class StoredReader {
  #head: StoredHead | undefined;
  readonly #lists = { tools: [], prompts: [], resources: [], templates: [], skills: [] };

  take(line: unknown): void {
    if (this.#head === undefined && isHead(line)) this.#head = line;
    else if (isFields(line)) for (const name of LISTS) if (Array.isArray(line[name])) addTo(this.#lists[name], line[name]);
  }

  /** Undefined unless they are of this server and variant. */
  finish({
    key,
    variant,
  }: Pick<StoredHead, 'key' | 'variant'>): { readonly listing: UpstreamListing; readonly program: string } | undefined {
    const head = this.#head;
    if (head?.key !== key || head.variant !== variant) return undefined;
    const { handshake, era, program } = head;
    return { listing: wholeListing({ ...this.#lists, notices: [], handshake, era }), program };
  }
}

function isHead(line: unknown): line is StoredHead {
  return isFields(line) && typeof line['program'] === 'string' && isFields(line['handshake']);
}

function addTo(list: unknown[], entries: readonly unknown[]): void {
  for (const entry of entries) list.push(entry);
}
