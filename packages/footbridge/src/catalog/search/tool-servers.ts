/** What a search knows of the servers of tools: what each is for, and what the names of its tools have in common. */
import { DocumentBuilder, type DocumentPart, type Field } from './document.js';
import { PostingIndex } from './posting-index.js';
import type { Concept } from './query.js';
import { stem } from './stemmer.js';
import type { Terms } from './terms.js';
import { spaced, topicsOfServer } from './tool-document.js';
import { eachWord } from './words.js';

const FIELDS = {
  server: { weight: 4, usual: 1, dilution: 0.3 },
  purpose: { weight: 5, usual: 12, dilution: 0.4 },
  topic: { weight: 2.5, usual: 5, dilution: 0.3 },
  tools: { weight: 1.5, usual: 20, dilution: 0.5 },
} as const satisfies Record<string, Field>;

/** Characters that are searched of what a server says about itself, and of the names of its tools. */
const LONGEST_PURPOSE = 500;
const LONGEST_NAMES = 4000;
/** The part of a score that depends on how much of the query was found. */
const COVERAGE = 0.4;

export interface SearchedServer {
  /** The stems of the words of its name. */
  readonly stems: readonly string[];
  /** Of its tools. */
  readonly ids: ReadonlySet<number>;
}

interface KnownServer extends SearchedServer {
  readonly ids: Set<number>;
  purpose: string;
  /** In the index. */
  document: number | undefined;
}

export class ToolServers {
  readonly #servers = new Map<string, KnownServer>();
  readonly #builder: DocumentBuilder;
  #index = new PostingIndex(COVERAGE);
  /** By document. */
  readonly #names = new Map<number, string>();
  /** Those whose document is out of date. */
  readonly #changed = new Set<string>();

  constructor(terms: Terms) {
    this.#builder = new DocumentBuilder(terms);
  }

  get all(): ReadonlyMap<string, SearchedServer> {
    return this.#servers;
  }

  get(name: string): SearchedServer | undefined {
    return this.#servers.get(name);
  }

  /** Adds a tool of a server. */
  add(name: string, id: number): void {
    const known = this.#servers.get(name) ?? { stems: wordsIn(name).map(stem), ids: new Set(), purpose: '', document: undefined };
    this.#servers.set(name, known);
    known.ids.add(id);
    this.#changed.add(name);
  }

  remove(name: string, id: number): void {
    const known = this.#servers.get(name);
    if (known === undefined) return;
    known.ids.delete(id);
    if (known.ids.size === 0) {
      this.#forget(known);
      this.#servers.delete(name);
    }
    this.#changed.add(name);
  }

  describe(name: string, purpose: string): void {
    const known = this.#servers.get(name);
    if (known === undefined || known.purpose === purpose) return;
    known.purpose = purpose;
    this.#changed.add(name);
  }

  /** Indexes what changed, a server at a time. `nameOf` gives the own name of a tool. */
  *update(nameOf: (id: number) => string): Generator<void> {
    for (const name of this.#changed) {
      this.#changed.delete(name);
      const known = this.#servers.get(name);
      if (known === undefined) continue;
      this.#forget(known);
      known.document = this.#index.add(this.#builder.compose(documentOf(name, known, nameOf)));
      this.#names.set(known.document, name);
      yield;
    }
    this.#index.sort();
    if (this.#index.isFragmented) this.#merge();
  }

  frequency(term: number): number {
    return this.#index.frequency(term);
  }

  /** How well servers match, compared with the best. */
  find(concepts: readonly Concept[]): ReadonlyMap<string, number> {
    const matches = this.#index.find(concepts);
    const best = matches[0]?.score ?? 1;
    return new Map(matches.flatMap(({ id, score }) => (this.#names.has(id) ? [[this.#names.get(id) ?? '', score / best] as const] : [])));
  }

  #forget(known: KnownServer): void {
    if (known.document === undefined) return;
    this.#index.remove(known.document);
    this.#names.delete(known.document);
    known.document = undefined;
  }

  #merge(): void {
    const moved = this.#index.merge().map(([from, to]) => ({ from, to, name: this.#names.get(from) }));
    for (const { from } of moved) this.#names.delete(from);
    for (const { name, to } of moved) {
      const known = this.#servers.get(name ?? '');
      if (name === undefined || known === undefined) continue;
      known.document = to;
      this.#names.set(to, name);
    }
  }
}

function documentOf(name: string, { ids, purpose }: KnownServer, nameOf: (id: number) => string): readonly DocumentPart[] {
  let names = '';
  for (const id of ids) {
    if (names.length > LONGEST_NAMES) break;
    names += ` ${nameOf(id)}`;
  }
  return [
    { field: FIELDS.server, text: spaced(name) },
    { field: FIELDS.purpose, text: purpose.slice(0, LONGEST_PURPOSE) },
    { field: FIELDS.topic, text: topicsOfServer(name) },
    { field: FIELDS.tools, text: names.slice(0, LONGEST_NAMES) },
  ];
}

function wordsIn(name: string): readonly string[] {
  const words: string[] = [];
  eachWord(spaced(name), (word) => words.push(word));
  return words;
}
