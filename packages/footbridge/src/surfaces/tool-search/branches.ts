/** What to report of `anyOf` and `oneOf` where no branch fits: the problems of the branch that was meant. */
import { type ArgumentPlace, type ArgumentProblem, depthOf, MAX_NAMED } from './problem.js';

/** Characters that distinguish the names of fields. */
const MAX_COMPARED = 100;

/** `branches` has the problems of each. `place` is that of the value for which one of them has to fit. */
export function problemsOfBranches(
  branches: readonly (readonly ArgumentProblem[])[],
  place: ArgumentPlace | undefined,
): readonly ArgumentProblem[] {
  const ofType = branches.filter((problems) => typesHere(problems, place) === undefined);
  const excluded = branches.flatMap((problems) => typesHere(problems, place) ?? []);
  const otherTypes = distinct(excluded.flatMap(({ types }) => types));
  if (ofType.length === 0) return excluded.slice(0, 1).map((problem) => ({ ...problem, types: otherTypes }));
  const values = ofType.map((problems) => problems.find((problem) => problem.kind === 'value' && problem.place === place));
  if (values.every((problem) => problem !== undefined)) return [valueProblem(values, place, otherTypes)];
  const [only] = ofType;
  if (only !== undefined && ofType.length === 1) return only;
  // Of `{ "kind": "file", … }` and `{ "kind": "url", … }`, the one whose `kind` is given is meant.
  const meant = ofType.filter((problems) => !problems.some((problem) => isWrongValueIn(problem, place)));
  if (meant.length > 0) return alternatives(meant, place) ?? closest(meant);
  const shared = sharedValueProblem(ofType, place);
  return shared === undefined ? closest(ofType) : [shared];
}

/** Why the value has the wrong type for a branch. */
function typesHere(problems: readonly ArgumentProblem[], place: ArgumentPlace | undefined) {
  for (const problem of problems) if (problem.kind === 'type' && problem.place === place) return problem;
  return undefined;
}

type ValueProblem = Extract<ArgumentProblem, { kind: 'value' }>;

function isWrongValueIn(problem: ArgumentProblem, place: ArgumentPlace | undefined): problem is ValueProblem {
  return problem.kind === 'value' && problem.place !== undefined && problem.place.within === place;
}

/** Everything that one of the branches allows. */
function valueProblem(
  problems: readonly ArgumentProblem[],
  place: ArgumentPlace | undefined,
  otherTypes: readonly string[] = [],
): ArgumentProblem {
  const values = problems.flatMap((problem) => (problem.kind === 'value' ? [problem] : []));
  const types = distinct([...otherTypes, ...values.flatMap((problem) => problem.types)]);
  return { place, kind: 'value', allowed: distinct(values.flatMap(({ allowed }) => allowed)), types };
}

/** As many as are reported, and one more. */
function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)].slice(0, MAX_NAMED + 1);
}

/** Where every branch allows other values of the same field. */
function sharedValueProblem(
  branches: readonly (readonly ArgumentProblem[])[],
  place: ArgumentPlace | undefined,
): ArgumentProblem | undefined {
  const [first = []] = branches;
  for (const problem of first) {
    if (!isWrongValueIn(problem, place)) continue;
    const isSame = (each: ArgumentProblem) => isWrongValueIn(each, place) && each.place?.step === problem.place?.step;
    const same = branches.map((problems) => problems.find(isSame));
    if (same.every((each) => each !== undefined)) return valueProblem(same, problem.place);
  }
  return undefined;
}

/** Where in every branch only fields are missing, and not the same ones. */
function alternatives(
  branches: readonly (readonly ArgumentProblem[])[],
  place: ArgumentPlace | undefined,
): readonly ArgumentProblem[] | undefined {
  const groups = new Map<string, readonly string[]>();
  for (const problems of branches) {
    const names = problems.flatMap((problem) =>
      problem.kind === 'missing' && problem.place?.within === place ? [String(problem.place?.step)] : [],
    );
    if (names.length < problems.length) return undefined;
    groups.set(JSON.stringify(names.map((name) => name.slice(0, MAX_COMPARED))), names);
  }
  return groups.size > 1 ? [{ place, kind: 'alternatives', groups: [...groups.values()].slice(0, MAX_NAMED + 1) }] : undefined;
}

/** The fewest problems; of as many, those with fields that are given; then those that lie deepest. */
function closest(branches: readonly (readonly ArgumentProblem[])[]): readonly ArgumentProblem[] {
  const missing = (problems: readonly ArgumentProblem[]) => problems.filter(({ kind }) => kind === 'missing').length;
  const deepest = (problems: readonly ArgumentProblem[]) => Math.max(...problems.map(({ place }) => depthOf(place)));
  const [first = []] = branches.toSorted(
    (one, other) => one.length - other.length || missing(one) - missing(other) || deepest(other) - deepest(one),
  );
  return first;
}
