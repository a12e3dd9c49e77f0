/** `"trust"` of the file that a command changes. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { FetchError } from '../../sources/fetched/fetch-error.js';
import type { TrustSettings } from '../../sources/fetched/trust/settings.js';
import { loadConfig } from '../config/load.js';
import type { Io } from '../io.js';
import type { PlaceOptions, SourcesPlace } from './place.js';

/** Throws a `FetchError` if a scanner is configured in a file that is not trusted: it neither runs nor is it left out. */
export async function trustAt({ file, location }: SourcesPlace, { config }: PlaceOptions, io: Io): Promise<TrustSettings> {
  if (!existsSync(resolve(io.cwd, file))) return {};
  const { trust = {}, untrusted } = await loadConfig(file, io, location === 'project' && config === undefined);
  if (untrusted?.scan === true)
    throw new FetchError(
      '"scan" in footbridge.json names a command, and the file is not trusted yet.',
      'Review it, then run in its folder: footbridge trust',
    );
  return trust;
}
