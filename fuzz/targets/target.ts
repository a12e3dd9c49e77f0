/** What can be fuzzed: a program that runs cases of one kind. */
import type { Case } from '../case.js';
import type { Program, Turn } from './program.js';

/** The files of the repository that are started. */
export interface Places {
  /** The command `footbridge`. */
  readonly command: string;
  readonly probe: string;
  readonly bench: string;
  readonly relay: string;
}

export interface Ran {
  readonly problems: readonly string[];
  /** The longest turn while a host could wait for an answer. Default: that of the whole case. */
  readonly turn?: Turn;
  /** The longest that a ping waited while the case ran. */
  readonly pingMs: number;
}

export interface Target<C extends Case> {
  readonly program: Program;
  run(given: C, timeoutMs: number): Promise<Ran>;
}
