/** Ranks tools for a request: by the index, by the servers that the request names, and by how much of a name is in the request. */
import type { PostingIndex } from './posting-index.js';
import type { Concept } from './query.js';
import { type RankedTools, wordsOf } from './ranked-tools.js';
import type { Terms } from './terms.js';
import { isQuestion } from './tool-actions.js';
import { type ToolRequest, toolRequestOf } from './tool-query.js';

/** What a tool gains if the request names its server, as a part of the best score. */
const OF_NAMED_SERVER = 0.9;
/** The same for a server that is about what the request is about, for its tools that match, and for others. */
const OF_FITTING_SERVER = 0.3;
const ONLY_SERVER = 0.2;
/** How well a server has to fit for that, compared with the best. */
const FITTING = 0.6;
/** What is left of the score of a tool that only does what the request says, with something else. */
const ONLY_ACTION = 0.3;
/** The part of a score that depends on how much of the tool's name is in the request. */
const NAME_COVERAGE = 0.35;
/** The least weight of a word that means the same as one of the request. */
const SAME = 0.6;
const SIMILAR = 0.4;
/** What a tool that changes something loses if the request is a question. */
const ONLY_ASKED = 0.2;
/** Characters of a request in which its first words are. */
const FEW_WORDS = 100;

/** Fewer matches are followed by those of every word. */
const FEW = 5;
/** Matches, and servers, between two steps. */
const STRIDE = 64;

/** A request, and where it is looked for. */
interface Wanted {
  readonly query: string;
  /** Those that were not removed. */
  readonly tools: RankedTools;
  readonly index: PostingIndex;
  readonly terms: Terms;
  /** Whether words of grammar count as well. */
  readonly every: boolean;
}

/** The ids of the tools that match, best first. `tools` has those that were not removed. In steps: very many may match. */
export function* stepsToRank(query: string, tools: RankedTools, index: PostingIndex, terms: Terms): Generator<void, readonly number[]> {
  const ids = yield* rank({ query, tools, index, terms, every: false });
  if (ids.length >= FEW) return ids;
  // `go live`: without grammar, little or nothing is left of it.
  return [...new Set([...ids, ...(yield* rank({ query, tools, index, terms, every: true }))])];
}

function* rank(wanted: Wanted): Generator<void, readonly number[]> {
  const { index, query, tools } = wanted;
  const { named, request } = yield* understand(wanted);
  const scores = yield* matches(request, tools, index);
  const best = Math.max(1, ...scores.values());
  yield;
  // Of a server that the request names, every tool may be meant.
  for (const server of named)
    for (const id of tools.servers.get(server)?.ids ?? []) scores.set(id, (scores.get(id) ?? 0) + OF_NAMED_SERVER * best);
  yield;
  const isScarce = scores.size < FEW;
  let looked = 0;
  for (const [server, share] of yield* fittingServers(wanted)) {
    for (const id of tools.servers.get(server)?.ids ?? []) {
      const score = scores.get(id);
      if (score !== undefined) scores.set(id, score + OF_FITTING_SERVER * share * best);
      else if (isScarce && share > FITTING) scores.set(id, ONLY_SERVER * share * best);
      if (++looked % STRIDE === 0) yield;
    }
  }
  if (isQuestion(wordsOf(query.slice(0, FEW_WORDS)))) {
    for (const [id, score] of scores) {
      if (tools.changes(id)) scores.set(id, score * (1 - ONLY_ASKED));
      if (++looked % STRIDE === 0) yield;
    }
  }
  return [...scores].sort(([oneId, one], [otherId, other]) => other - one || oneId - otherId).map(([id]) => id);
}

/** The scores of the tools that match what a request is about, and of those that only do what it says. */
function* matches({ action, subjects }: ToolRequest, tools: RankedTools, index: PostingIndex): Generator<void, Map<number, number>> {
  const concepts = action === undefined ? subjects : [...subjects, action];
  const said = new Set(
    concepts.flatMap(({ alternatives }) => alternatives.flatMap(({ term, weight }) => (weight >= SIMILAR ? [term] : []))),
  );
  const about = action === undefined || subjects.length === 0 ? undefined : new Set(index.find(subjects).map(({ id }) => id));
  yield;
  const scores = new Map<number, number>();
  for (const { id, score } of index.find(concepts)) {
    const isAbout = about?.has(id) ?? true;
    scores.set(id, score * nameShare(tools.coverage(id, said)) * (isAbout ? 1 : ONLY_ACTION));
    if (scores.size % STRIDE === 0) yield;
  }
  return scores;
}

/** How well the servers fit that are about what the request is about. */
function* fittingServers({ every, query, terms, tools: { servers } }: Wanted): Generator<void, ReadonlyMap<string, number>> {
  const { subjects } = toolRequestOf(query, terms, (term) => servers.frequency(term), every);
  yield;
  return servers.find(subjects);
}

/** `create_issue` is a better match for an issue than `create_issue_note_reaction`. */
function nameShare(coverage: number | undefined): number {
  return coverage === undefined ? 1 - NAME_COVERAGE / 2 : 1 - NAME_COVERAGE + NAME_COVERAGE * coverage;
}

/** What a request means, without the servers that it names: by all words of their names, or others that mean the same. */
function* understand({
  every,
  index,
  query,
  terms,
  tools: { servers },
}: Wanted): Generator<void, { readonly named: ReadonlySet<string>; readonly request: ToolRequest }> {
  const { action, subjects } = toolRequestOf(query, terms, (term) => index.frequency(term), every);
  const isOf = (concept: Concept, term: number | undefined) =>
    concept.alternatives.some((each) => each.term === term && each.weight >= SAME);
  yield;
  const named = new Map<string, readonly Concept[]>();
  let looked = 0;
  for (const [server, { stems }] of servers.all) {
    const words = stems.map((text) => subjects.find((concept) => isOf(concept, terms.find(text))));
    const said = words.filter((concept) => concept !== undefined);
    if (said.length === words.length && words.length > 0) named.set(server, said);
    if (++looked % STRIDE === 0) yield;
  }
  const names = new Set([...named.values()].flat());
  return { named: new Set(named.keys()), request: { action, subjects: subjects.filter((concept) => !names.has(concept)) } };
}
