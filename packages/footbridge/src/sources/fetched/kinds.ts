/** All kinds of sources that can be fetched. Loaded by commands only. */
import { echo } from '../../errors.js';
import { archiveKind } from './archive-url.js';
import { FetchError } from './fetch-error.js';
import { folderKind } from './folder.js';
import { gitKind } from './git/index.js';
import type { FetchableSource, SourceKind } from './kind.js';
import { didYouMean, nearSpecifications } from './near-names.js';
import { npmKind } from './npm/index.js';
import { ociKind } from './oci/index.js';
import { upstreamKind } from './upstream-skills.js';
import { wellKnownKind } from './well-known.js';

/** The first that recognizes a specification takes it: any other https URL is that of a site. */
const KINDS: readonly SourceKind[] = [gitKind, npmKind, ociKind, upstreamKind, folderKind, archiveKind, wellKnownKind];

/** Throws a `FetchError` if no kind recognizes it. */
export function parseSource(specification: string): { readonly kind: string; readonly source: FetchableSource } {
  const found = recognized(specification);
  if (found !== undefined) return found;
  const near = nearSpecifications(specification).filter(isSource).map(echo);
  const forms = `Use one of:\n${KINDS.map(({ form }) => `  ${form}`).join('\n')}`;
  throw new FetchError(`'${echo(specification)}' is not a source.`, near.length === 0 ? forms : `${didYouMean(near, '')}\n${forms}`);
}

function recognized(specification: string) {
  for (const kind of KINDS) {
    const source = kind.parse(specification);
    if (source !== undefined) return { kind: kind.name, source };
  }
  return undefined;
}

function isSource(specification: string): boolean {
  try {
    return recognized(specification) !== undefined;
  } catch {
    return false;
  }
}
