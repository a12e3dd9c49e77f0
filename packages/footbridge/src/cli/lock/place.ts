/** The location of the lock. Apart from its format, whose checks a server seldom needs. */
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/index.js';
import { LOCK_FILE } from '../folders.js';

/** Next to the configuration file, otherwise in the working folder. */
export interface LockPlace {
  /** Relative, for messages. */
  readonly file: string;
  readonly folder: string;
  readonly cwd: string;
}

export function lockPlace({ file }: Pick<Config, 'file'>, cwd: string): LockPlace {
  const folder = file === undefined ? '.' : dirname(file);
  return { file: join(folder, LOCK_FILE), folder: resolve(cwd, folder), cwd };
}
