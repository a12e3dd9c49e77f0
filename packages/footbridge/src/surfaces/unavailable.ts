/** Upstreams that cannot be reached at the moment, for answers that list what there is. */
import type { Snapshot } from '../catalog/snapshot.js';
import type { FailureKind } from '../sources/upstream/failure.js';

export interface Unavailable {
  readonly server: string;
  readonly reason: string;
  readonly kind: FailureKind;
}

const NONE: readonly Unavailable[] = [];

/** Computed for each answer: a snapshot does not change when an upstream fails. */
export function unavailableOf({ upstreams }: Snapshot): readonly Unavailable[] {
  if (upstreams.length === 0) return NONE;
  return upstreams.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [{ server: name, reason: failure.message, kind: failure.kind }],
  );
}

/** For an answer's text. */
export function unavailableLines(unavailable: readonly Unavailable[]): readonly string[] {
  return unavailable.map(({ server, reason }) => `Not available at the moment: ${server}: ${reason}`);
}

/** For an answer's structure. */
export function unavailableField(unavailable: readonly Unavailable[]): { readonly unavailable?: readonly Unavailable[] } {
  return unavailable.length === 0 ? {} : { unavailable };
}
