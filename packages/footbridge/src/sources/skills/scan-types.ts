/** What goes into a scan, and what comes out. */
import type { Notice } from '../source.js';
import type { Parent } from './folder-skill.js';
import type { SkillRoot } from './folders.js';
import type { Forest } from './tree.js';

/** What a scan needs at a step: nothing, or the YAML library. */
export type ScanStep = 'next' | 'yaml';

export interface ScanInput {
  readonly roots: readonly SkillRoot[];
  /** The result of the last scan; unchanged files are taken from it. */
  readonly previous: Forest;
  /** The time at the start, for telling which stamps can be trusted. */
  readonly now: number;
  /** How many known skills and folders are checked; the others, with all that is in them, are assumed unchanged. Default: all. */
  readonly checked?: number;
  /** Folders in which something changed: all others are assumed to be as they were. Default: every folder is looked at. */
  readonly changed?: ReadonlySet<string> | undefined;
}

/** The skills found, and notices about configured folders. */
export interface ScanOutput {
  readonly forest: Forest;
  readonly notices: readonly Notice[];
  /** How many files and folders had to be read, because they were new or changed. */
  readonly reads: number;
  /** How many skills and folders were assumed unchanged. */
  readonly unchecked: number;
}

/** A folder being scanned. */
export interface ScanPlace {
  readonly parent: Parent;
  readonly name: string;
  readonly path: string;
  readonly real: string;
  /** Where a link leads; empty for a plain folder. */
  readonly target: string;
  /** Real paths of the parent folders, to detect link loops. */
  readonly above: readonly string[];
}
