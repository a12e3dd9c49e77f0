/** Servers behind us that cannot be reached at the moment: whoever asks what there is, is told what is missing. */
import type { Snapshot } from '../catalog/snapshot.js';
import type { FailureKind } from '../sources/upstream/failure.js';

export interface Unavailable {
  readonly server: string;
  readonly reason: string;
  readonly kind: FailureKind;
}

const NONE: readonly Unavailable[] = [];

/** As it is now: that a server cannot be reached makes no new snapshot. */
export function unavailableOf({ upstreams }: Snapshot): readonly Unavailable[] {
  if (upstreams.length === 0) return NONE;
  return upstreams.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [{ server: name, reason: failure.message, kind: failure.kind }],
  );
}

/** For an answer's text; nothing where all is well. */
export function unavailableLines(unavailable: readonly Unavailable[]): readonly string[] {
  return unavailable.map(({ server, reason }) => `Not available at the moment: ${server}: ${reason}`);
}

/** For an answer's structure; nothing where all is well. */
export function unavailableField(unavailable: readonly Unavailable[]): { readonly unavailable?: readonly Unavailable[] } {
  return unavailable.length === 0 ? {} : { unavailable };
}
