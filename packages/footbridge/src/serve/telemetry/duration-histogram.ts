/** The durations of requests, as Prometheus has them. */
import { Histogram, type Registry } from 'prom-client';
import { BUCKETS, type MethodTally } from './tallies.js';

const NAME = 'footbridge_request_duration_seconds';
const HELP = 'How long requests took, by the method of the protocol.';

/** A histogram of what was counted elsewhere, since prom-client's own is filled one observation at a time. */
export class DurationHistogram extends Histogram<'method'> {
  readonly #methods: ReadonlyMap<string, MethodTally>;

  constructor(methods: ReadonlyMap<string, MethodTally>, registry: Registry) {
    super({ name: NAME, help: HELP, labelNames: ['method'], registers: [registry] });
    this.#methods = methods;
  }

  /** What the registry asks for, and `get` too. */
  async getForPromString() {
    const values = [...this.#methods].flatMap(([method, tally]) => samples(method, tally));
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values };
  }
}

/** None of a method that nobody called: the buckets would be a screenful of zeros. */
function samples(method: string, { buckets, seconds }: MethodTally) {
  let count = 0;
  const bounded = buckets.map((size, index) => {
    count += size;
    return { metricName: `${NAME}_bucket`, labels: { le: BUCKETS[index] ?? '+Inf', method }, value: count };
  });
  if (count === 0) return [];
  return [
    ...bounded,
    { metricName: `${NAME}_sum`, labels: { method }, value: seconds },
    { metricName: `${NAME}_count`, labels: { method }, value: count },
  ];
}
