/** The illustration of the start view. */

const LEFT = 110;
const RIGHT = 530;
const DECK = 112;
const RISE = 52;
const RAIL = 26;

/** The height of the deck at `x`. */
function deckAt(x: number): number {
  const middle = (LEFT + RIGHT) / 2;
  return DECK - RISE * (1 - ((x - middle) / (RIGHT - middle)) ** 2);
}

const POSTS = Array.from({ length: 13 }, (_, index) => LEFT + 12 + ((RIGHT - LEFT - 24) * index) / 12);

function arch(lift: number): string {
  return `M${LEFT} ${DECK - lift}Q${(LEFT + RIGHT) / 2} ${DECK - lift - 2 * RISE} ${RIGHT} ${DECK - lift}`;
}

export function Bridge() {
  const wave = 'c9-6 18-6 27 0s18 6 27 0 18-6 27 0 18 6 27 0 18-6 27 0 18 6 27 0';
  return (
    <svg class="bridge" viewBox="0 0 640 176" fill="none" stroke="currentColor" stroke-linecap="round" aria-hidden="true">
      <path class="bank" stroke="none" d="M0 112H118C132 112 138 128 152 146S170 168 176 176H0z" />
      <path class="bank" stroke="none" d="M640 112H522C508 112 502 128 488 146S470 168 464 176H640z" />
      <path class="water" stroke-width="2.5" d={`M240 146${wave}`} />
      <path class="water" stroke-width="2.5" d={`M212 163${wave}c9-6 18-6 27 0s18 6 27 0`} />
      <path stroke-width="2" opacity="0.75" d={POSTS.map((x) => `M${x} ${deckAt(x) - RAIL}V${deckAt(x)}`).join('')} />
      <path stroke-width="2.5" opacity="0.75" d={arch(RAIL)} />
      <path stroke-width="5" d={arch(0)} />
      <g stroke-width="1.5">
        <rect class="thing" x="22" y="62" width="34" height="44" rx="4" />
        <rect class="thing" x="38" y="54" width="34" height="44" rx="4" />
        <path class="thing-line" d="M45 65h20M45 73h20M45 81h13" />
        <rect class="thing" x="552" y="58" width="62" height="44" rx="5" />
        <path class="thing-line" d="M552 69h62M561 79l6 5-6 5M572 90h12" />
      </g>
    </svg>
  );
}
