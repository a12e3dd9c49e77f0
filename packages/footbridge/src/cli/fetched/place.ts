/** Where sources are configured and locked: in the project, or for the user in all projects. */
import { dirname, join, resolve } from 'node:path';
import type { SkillLocation } from '../../sources/source.js';
import { CONFIG_FILE } from '../config/index.js';
import { personalFolder } from '../folders.js';
import type { Surroundings } from '../io.js';
import { type LockPlace, lockPlace } from '../lock/place.js';

export interface SourcesPlace {
  /** `footbridge.json`, as it is shown. */
  readonly file: string;
  /** Its folder, absolute. Relative paths of sources start here. */
  readonly folder: string;
  readonly lock: LockPlace;
  readonly location: SkillLocation;
  /** Whether the file is found in the working folder, and not named by the person. */
  readonly isDiscovered: boolean;
}

export interface PlaceOptions {
  readonly config?: string;
  readonly global?: boolean;
}

export function sourcesPlace({ config, global }: PlaceOptions, io: Pick<Surroundings, 'cwd' | 'env' | 'home'>): SourcesPlace {
  const file = global === true ? join(personalFolder(io), CONFIG_FILE) : (config ?? CONFIG_FILE);
  return {
    file,
    folder: dirname(resolve(io.cwd, file)),
    lock: lockPlace({ file }, io.cwd),
    location: global === true ? 'global' : 'project',
    isDiscovered: global !== true && config === undefined,
  };
}
