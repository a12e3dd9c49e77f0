/** `"trust"` of the file that a command changes. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { FetchError } from '../../sources/fetched/fetch-error.js';
import type { TrustSettings } from '../../sources/fetched/trust/settings.js';
import type { Io } from '../io.js';
import type { SourcesPlace } from './place.js';

export interface FoundTrust {
  readonly settings: TrustSettings;
  /** False if the file was found in the working folder, and is not trusted as it is now. */
  readonly isTrusted: boolean;
}

/** Throws a `FetchError` if an untrusted file configures a scanner: it must neither run nor be skipped. */
export async function trustAt({ file, isDiscovered }: SourcesPlace, io: Io): Promise<FoundTrust> {
  if (!existsSync(resolve(io.cwd, file))) return { settings: {}, isTrusted: true };
  const { loadConfig } = await import('../config/load.js');
  const { trust = {}, untrusted } = await loadConfig(file, io, isDiscovered);
  if (untrusted?.scan === true)
    throw new FetchError(
      '"scan" in footbridge.json names a command, and the file is not trusted yet.',
      'Review it, then run in its folder: footbridge trust',
    );
  return { settings: trust, isTrusted: untrusted === undefined };
}
