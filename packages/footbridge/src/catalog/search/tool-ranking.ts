/** Ranks tools for a request: by the index, by the servers that the request names, and by how much of a name is in the request. */
import type { PostingIndex } from './posting-index.js';
import type { Concept } from './query.js';
import { stem } from './stemmer.js';
import { isStopWord } from './stop-words.js';
import type { Terms } from './terms.js';
import { actionOfName, isChange, isQuestion } from './tool-actions.js';
import { spaced } from './tool-document.js';
import { toolConceptsOf } from './tool-query.js';
import { eachWord } from './words.js';

/** What a tool gains if the request names its server, as a part of the best score. */
const OF_NAMED_SERVER = 0.9;
/** The part of a score that depends on how much of the tool's name is in the request. */
const NAME_COVERAGE = 0.35;
/** The least weight of a word that means the same as one of the request. */
const SAME = 0.6;
const SIMILAR = 0.4;
/** What a tool that changes something loses if the request is a question. */
const ONLY_ASKED = 0.2;
/** Characters of a request in which its first words are. */
const FEW_WORDS = 100;

/** A tool as it is ranked: what its name says is found out when it is first found. */
interface RankedTool {
  readonly name: string;
  readonly server: string;
  /** The terms in its name that say what it is about: neither its action nor its server. */
  subject: readonly number[] | undefined;
  /** Whether its name says that it changes something. */
  changes: boolean | undefined;
}

interface RankedServer {
  /** The stems of the words of its name. */
  readonly stems: readonly string[];
  readonly ids: Set<number>;
}

/** The tools by id, and by server. */
export class RankedTools {
  readonly #terms: Terms;
  readonly #tools = new Map<number, RankedTool>();
  /** Names consist of few words: by word its stem, unless the word says nothing of what a tool is about. */
  readonly #subjects = new Map<string, string | undefined>();
  readonly #servers = new Map<string, RankedServer>();

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  get servers(): ReadonlyMap<string, RankedServer> {
    return this.#servers;
  }

  get(id: number): RankedTool | undefined {
    return this.#tools.get(id);
  }

  add(id: number, name: string, server: string): void {
    const ofServer = this.#servers.get(server) ?? { stems: stemsOf(server), ids: new Set() };
    this.#servers.set(server, ofServer);
    ofServer.ids.add(id);
    this.#tools.set(id, { name, server, subject: undefined, changes: undefined });
  }

  /** How much of what the name of a tool is about is in a request with these terms; undefined where it says nothing. */
  coverage(id: number, said: ReadonlySet<number>): number | undefined {
    const tool = this.#tools.get(id);
    if (tool === undefined) return undefined;
    tool.subject ??= this.#subjectOf(tool);
    if (tool.subject.length === 0) return undefined;
    let covered = 0;
    for (const term of tool.subject) if (said.has(term)) covered++;
    return covered / tool.subject.length;
  }

  changes(id: number): boolean {
    const tool = this.#tools.get(id);
    if (tool === undefined) return false;
    tool.changes ??= isChange(wordsOf(ownName(tool.name, tool.server)));
    return tool.changes;
  }

  remove(id: number): void {
    const server = this.#tools.get(id)?.server ?? '';
    const ofServer = this.#servers.get(server);
    ofServer?.ids.delete(id);
    if (ofServer?.ids.size === 0) this.#servers.delete(server);
    this.#tools.delete(id);
  }

  #subjectOf({ name, server }: RankedTool): readonly number[] {
    const others = this.#servers.get(server)?.stems ?? NO_STEMS;
    const subject = new Set<number>();
    eachWord(ownName(name, server), (word) => {
      const text = this.#stemOf(word);
      if (text !== undefined && !others.includes(text)) subject.add(this.#terms.addStem(text));
    });
    return [...subject];
  }

  #stemOf(word: string): string | undefined {
    if (this.#subjects.has(word)) return this.#subjects.get(word);
    const text = isStopWord(word) || actionOfName(word) !== undefined ? undefined : stem(word);
    if (this.#subjects.size < MOST_WORDS) this.#subjects.set(word, text);
    return text;
  }
}

const NO_STEMS: readonly string[] = [];
/** Names may be hostile. */
const MOST_WORDS = 20_000;
/** Matches, and servers, between two steps. */
const STRIDE = 64;

/** The ids of the tools that match, best first. `tools` has those that were not removed. In steps: very many may match. */
export function* stepsToRank(query: string, tools: RankedTools, index: PostingIndex, terms: Terms): Generator<void, readonly number[]> {
  const { concepts, servers } = yield* understand(query, tools, index, terms);
  const said = new Set(
    concepts.flatMap(({ alternatives }) => alternatives.flatMap(({ term, weight }) => (weight >= SIMILAR ? [term] : []))),
  );
  const scores = new Map<number, number>();
  for (const { id, score } of index.find(concepts)) {
    scores.set(id, score * nameShare(tools.coverage(id, said)));
    if (scores.size % STRIDE === 0) yield;
  }
  const bonus = OF_NAMED_SERVER * Math.max(1, ...scores.values());
  // Of a server that the request names, every tool may be meant.
  for (const server of servers) for (const id of tools.servers.get(server)?.ids ?? []) scores.set(id, (scores.get(id) ?? 0) + bonus);
  yield;
  if (isQuestion(wordsOf(query.slice(0, FEW_WORDS)))) {
    let looked = 0;
    for (const [id, score] of scores) {
      if (tools.changes(id)) scores.set(id, score * (1 - ONLY_ASKED));
      if (++looked % STRIDE === 0) yield;
    }
  }
  return [...scores].sort(([oneId, one], [otherId, other]) => other - one || oneId - otherId).map(([id]) => id);
}

/** `create_issue` is a better match for an issue than `create_issue_note_reaction`. */
function nameShare(coverage: number | undefined): number {
  return coverage === undefined ? 1 - NAME_COVERAGE / 2 : 1 - NAME_COVERAGE + NAME_COVERAGE * coverage;
}

/** The servers that a request names, by all words of their names or others that mean the same, and the concepts without these. */
function* understand(
  query: string,
  { servers }: RankedTools,
  index: PostingIndex,
  terms: Terms,
): Generator<void, { readonly servers: ReadonlySet<string>; readonly concepts: readonly Concept[] }> {
  const concepts = toolConceptsOf(query, terms, (term) => index.frequency(term));
  const isOf = (concept: Concept, term: number | undefined) =>
    concept.alternatives.some((each) => each.term === term && each.weight >= SAME);
  yield;
  const named = new Map<string, readonly Concept[]>();
  let looked = 0;
  for (const [server, { stems }] of servers) {
    const words = stems.map((text) => concepts.find((concept) => isOf(concept, terms.find(text))));
    const said = words.filter((concept) => concept !== undefined);
    if (said.length === words.length && words.length > 0) named.set(server, said);
    if (++looked % STRIDE === 0) yield;
  }
  const names = new Set([...named.values()].flat());
  return { servers: new Set(named.keys()), concepts: concepts.filter((concept) => !names.has(concept)) };
}

function stemsOf(server: string): readonly string[] {
  return wordsOf(spaced(server)).map(stem);
}

/** The words in the name of a tool without that of its server. */
function ownName(name: string, server: string): string {
  return spaced(name.startsWith(`${server}__`) ? name.slice(server.length) : name);
}

function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}
