/** From the parts of a template to the steps that match it. */
import type { Expression, Part } from './parse.js';
import { literal, optional, type PairSyntax, pairs, run, type Step, sequence } from './steps.js';

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

/** As many of them as there are, the first first: which one of several was left out cannot be told. */
function oneAfterOther(values: readonly Step[], marker: string, separator: string): Step {
  return values.reduceRight<Step>(
    (following, value, index) => optional(sequence([literal(index === 0 ? marker : separator), value, following])),
    sequence([]),
  );
}
