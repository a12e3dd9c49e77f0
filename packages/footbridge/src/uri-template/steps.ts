/**
 * Matching without backtracking: each step of a template learns, from the end of the URI to its beginning, where the
 * rest can go on, so that the way forward never has to be tried. The cost is the length of the URI times the steps.
 */
import type { Expression, Part, VariableSpec } from './parse.js';

/** A URI as the steps read it: both texts have the same length. */
export interface Subject {
  readonly exact: string;
  /** With scheme and host in lower case. */
  readonly folded: string;
  /** Whether variables that a complete URI must have may be empty. */
  readonly lenient: boolean;
}

export interface Capture {
  readonly place: VariableSpec;
  readonly text: string;
}

/** No URI has more optional parts than characters, of which there are at most 8192. */
type Scores = Int16Array;

/** What the steps from one on make of a subject. */
export interface Way {
  /** For each position, how many optional parts can be taken from there on, at most; -1 where there is no way. */
  readonly best: Scores;
  /** Goes from a position that has a way to the end of the subject. */
  take(position: number, captures: Capture[]): void;
}

export type Step = (subject: Subject, rest: Way) => Way;

/** The captures of a subject that the steps cover from end to end. */
export function follow(step: Step, subject: Subject): readonly Capture[] | undefined {
  const end = nowhere(subject);
  end[subject.exact.length] = 0;
  const way = step(subject, { best: end, take: () => {} });
  if (scoreAt(way.best, 0) < 0) return undefined;
  const captures: Capture[] = [];
  way.take(0, captures);
  return captures;
}

export function sequence(steps: readonly Step[]): Step {
  return (subject, rest) => steps.reduceRight((after, step) => step(subject, after), rest);
}

export function literal(text: string, folded = text): Step {
  return (subject, rest) => {
    const best = nowhere(subject);
    const mark = (inside: string, wanted: string) => {
      const first = wanted.charCodeAt(0);
      for (let at = inside.length - wanted.length; at >= 0; at--) {
        if (inside.charCodeAt(at) !== first) continue;
        if (wanted.length === 1 || inside.startsWith(wanted, at)) best[at] = scoreAt(rest.best, at + wanted.length);
      }
    };
    mark(subject.folded, folded);
    // What follows `{+x}` may be in the host or after it: as it is written it fits either.
    if (text !== folded || subject.exact !== subject.folded) mark(subject.exact, text);
    return { best, take: (position, captures) => rest.take(position + text.length, captures) };
  };
}

/** A value: as many characters as possible, none of `stops`. */
export function run(place: VariableSpec, stops: string, required: boolean): Step {
  const ends = stopTable(stops);
  return (subject, rest) => {
    const text = subject.exact;
    const least = required && !subject.lenient ? 1 : 0;
    const best = nowhere(subject);
    // The best of all places from the current one on where the value may end.
    let ahead = scoreAt(rest.best, text.length);
    if (least === 0) best[text.length] = ahead;
    for (let at = text.length - 1; at >= 0; at--) {
      const code = text.charCodeAt(at);
      const here = isSecondHalf(code) ? -1 : scoreAt(rest.best, at);
      if (ends[code] === 1) ahead = -1;
      const onward = ahead;
      if (here > ahead) ahead = here;
      best[at] = least === 0 ? ahead : onward;
    }
    return {
      best,
      take(position, captures) {
        const end = lastEnd(text, position, ends, rest.best, scoreAt(best, position), least);
        captures.push({ place, text: text.slice(position, end) });
        rest.take(end, captures);
      },
    };
  };
}

/** Taken where it can be: of two ways the one with more such parts is meant. */
export function optional(inner: Step): Step {
  return (subject, rest) => {
    const taken = inner(subject, rest);
    const best = rest.best.map((without, at) => Math.max(without, counted(scoreAt(taken.best, at))));
    return {
      best,
      take: (position, captures) => (counted(scoreAt(taken.best, position)) === best[position] ? taken : rest).take(position, captures),
    };
  };
}

export interface PairSyntax {
  /** What comes before the first pair. */
  readonly marker: string;
  readonly separator: string;
  readonly stops: string;
  /** Whether an empty value is written without `=`. */
  readonly bare: boolean;
}

/** `name=value` pairs in any order, each a part that is taken where it can be; a name that comes twice is captured twice. */
export function pairs(places: readonly VariableSpec[], { marker, separator, stops, bare }: PairSyntax): Step {
  const ends = stopTable(stops);
  return (subject, rest) => {
    const text = subject.exact;
    /** From the end of a pair on, and from within a value on. */
    const after = nowhere(subject);
    const within = nowhere(subject);
    const best = nowhere(subject);

    const pairAt = (at: number) => {
      let found: { readonly place: VariableSpec; readonly start: number; readonly bare: boolean; readonly score: number } | undefined;
      for (const place of places) {
        if (!text.startsWith(place.name, at)) continue;
        const end = at + place.name.length;
        const empty = text.charAt(end) !== '=';
        if (empty && !bare) continue;
        const score = counted(empty ? scoreAt(after, end) : scoreAt(within, end + 1));
        if (score > (found?.score ?? -1)) found = { place, start: empty ? end : end + 1, bare: empty, score };
      }
      return found;
    };

    for (let at = text.length; at >= 0; at--) {
      const without = scoreAt(rest.best, at);
      const character = text.charAt(at);
      const next = character === separator || character === marker ? (pairAt(at + 1)?.score ?? -1) : -1;
      after[at] = character === separator ? Math.max(without, next) : without;
      best[at] = character === marker ? Math.max(without, next) : without;
      const goesOn = at < text.length && ends[text.charCodeAt(at)] !== 1;
      within[at] = Math.max(scoreAt(after, at), goesOn ? scoreAt(within, at + 1) : -1);
    }

    return {
      best,
      take(position, captures) {
        let at = position;
        let score = scoreAt(best, at);
        let lead = marker;
        while (text.charAt(at) === lead) {
          const pair = pairAt(at + 1);
          if (pair === undefined || pair.score !== score) break;
          score--;
          const end = pair.bare ? pair.start : lastEnd(text, pair.start, ends, after, score, 0);
          captures.push({ place: pair.place, text: text.slice(pair.start, end) });
          at = end;
          lead = separator;
        }
        rest.take(at, captures);
      },
    };
  };
}

/** The farthest place where a value that begins at `start` can end with `score` still to come. */
function lastEnd(text: string, start: number, ends: Uint8Array, rest: Scores, score: number, least: number): number {
  let last = start;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (at - start >= least && rest[at] === score && !isSecondHalf(code)) last = at;
    if (ends[code] === 1) return last;
  }
  return rest[text.length] === score ? text.length : last;
}

/** Of a character that takes two: no value ends before it. */
function isSecondHalf(code: number): boolean {
  return (code & 0xfc00) === 0xdc00;
}

function counted(score: number): number {
  return score < 0 ? score : score + 1;
}

function scoreAt(scores: Scores, position: number): number {
  return scores[position] ?? -1;
}

function nowhere(subject: Subject): Scores {
  return new Int16Array(subject.exact.length + 1).fill(-1);
}

function stopTable(stops: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const stop of stops) table[stop.charCodeAt(0)] = 1;
  return table;
}

const SEGMENT = '/?#';

const PAIRS = {
  ';': { marker: ';', separator: ';', stops: ';/?#', bare: true },
  // A slash and a question mark are as good as any character in a query.
  '?': { marker: '?', separator: '&', stops: '&#', bare: false },
  '&': { marker: '&', separator: '&', stops: '&#', bare: false },
} satisfies Record<string, PairSyntax>;

export function compile(parts: readonly Part[]): Step {
  return sequence(parts.map((part) => (part.kind === 'literal' ? literal(part.text, part.folded) : compileExpression(part))));
}

function compileExpression({ operator, places }: Expression): Step {
  switch (operator) {
    case ';':
    case '?':
    case '&':
      return pairs(places, PAIRS[operator]);
    case '':
      return inTurn(places.map((place) => run(place, places.length > 1 && !place.exploded ? `${SEGMENT},` : SEGMENT, true)));
    case '+':
      return inTurn(places.map((place) => run(place, '', true)));
    case '#':
      return oneAfterOther(
        places.map((place) => run(place, '', false)),
        '#',
        ',',
      );
    case '.':
    case '/':
      return oneAfterOther(
        places.map((place) => run(place, place.exploded && operator === '/' ? '?#' : SEGMENT, false)),
        operator,
        operator,
      );
  }
}

/** All of them, with commas between. */
function inTurn(values: readonly Step[]): Step {
  return sequence(values.flatMap((value, index) => (index === 0 ? [value] : [literal(','), value])));
}

/** As many of them as there are, in order: which one of several was omitted is unknown. */
function oneAfterOther(values: readonly Step[], marker: string, separator: string): Step {
  return values.reduceRight<Step>(
    (following, value, index) => optional(sequence([literal(index === 0 ? marker : separator), value, following])),
    sequence([]),
  );
}
