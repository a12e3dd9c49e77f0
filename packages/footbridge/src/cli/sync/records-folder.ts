/** Where the records of `footbridge sync` are. */
import { stateFolder } from '../../state/index.js';
import type { Surroundings } from '../io.js';

export function syncRecords({ env, home }: Pick<Surroundings, 'env' | 'home'>): string {
  return stateFolder(undefined, '', 'sync', env, home);
}
