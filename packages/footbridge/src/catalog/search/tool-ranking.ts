/** Ranks tools for a request: by the index, by the servers that the request names, and by how much of a name is in the request. */
import type { Match, PostingIndex } from './posting-index.js';
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

/** A tool as it is ranked. */
export interface RankedTool {
  readonly name: string;
  readonly server: string;
  /** The terms in its name that say what it is about. */
  readonly subject: readonly number[];
  /** Whether its name says that it changes something. */
  readonly changes: boolean;
}

/** What is known of a tool by its name. */
export function rankedTool(name: string, server: string, terms: Terms): RankedTool {
  return { name, server, subject: subjectOf(name, server, terms), changes: isChange(wordsOf(ownName(name, server))) };
}

/** The terms in the name of a tool that say what it is about: neither its action nor its server. */
function subjectOf(name: string, server: string, terms: Terms): readonly number[] {
  const others = new Set(stemsOf(server));
  const subject = new Set<number>();
  eachWord(ownName(name, server), (word) => {
    const text = stem(word);
    if (!others.has(text) && !isStopWord(word) && actionOfName(word) === undefined) subject.add(terms.addStem(text));
  });
  return [...subject];
}

/** The ids of the tools that match, best first. `tools` has them by id, without those that were removed. */
export function rankTools(query: string, tools: ReadonlyMap<number, RankedTool>, index: PostingIndex, terms: Terms): readonly number[] {
  const { concepts, servers } = understand(query, tools, index, terms);
  const said = new Set(
    concepts.flatMap(({ alternatives }) => alternatives.flatMap(({ term, weight }) => (weight >= SIMILAR ? [term] : []))),
  );
  const scores = new Map(index.find(concepts).map((match) => [match.id, scoreOf(match, tools.get(match.id), said)]));
  const bonus = OF_NAMED_SERVER * Math.max(1, ...scores.values());
  // Of a server that the request names, every tool may be meant.
  if (servers.size > 0) for (const [id, { server }] of tools) if (servers.has(server)) scores.set(id, (scores.get(id) ?? 0) + bonus);
  if (isQuestion(wordsOf(query.slice(0, FEW_WORDS))))
    for (const [id, score] of scores) if (tools.get(id)?.changes === true) scores.set(id, score * (1 - ONLY_ASKED));
  return [...scores].sort(([oneId, one], [otherId, other]) => other - one || oneId - otherId).map(([id]) => id);
}

/** `create_issue` is a better match for an issue than `create_issue_note_reaction`. */
function scoreOf({ score }: Match, tool: RankedTool | undefined, said: ReadonlySet<number>): number {
  if (tool === undefined || tool.subject.length === 0) return score * (1 - NAME_COVERAGE / 2);
  const covered = tool.subject.filter((term) => said.has(term)).length / tool.subject.length;
  return score * (1 - NAME_COVERAGE + NAME_COVERAGE * covered);
}

/** The servers that a request names, by all words of their names or others that mean the same, and the concepts without these. */
function understand(query: string, tools: ReadonlyMap<number, RankedTool>, index: PostingIndex, terms: Terms) {
  const concepts = toolConceptsOf(query, terms, (term) => index.frequency(term));
  const isOf = (concept: Concept, term: number | undefined) =>
    concept.alternatives.some((each) => each.term === term && each.weight >= SAME);
  const named = new Map<string, readonly Concept[]>();
  for (const server of new Set([...tools.values()].map((tool) => tool.server))) {
    const words = stemsOf(server).map((text) => concepts.find((concept) => isOf(concept, terms.find(text))));
    const said = words.filter((concept) => concept !== undefined);
    if (said.length === words.length && words.length > 0) named.set(server, said);
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
