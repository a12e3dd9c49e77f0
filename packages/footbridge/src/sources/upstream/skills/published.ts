/** What a server publishes about a skill, in plain JSON for the cache. */
import type { Fields } from '../../../json.js';
import { LIMITS } from '../../skills/rules.js';
import { SKILL_FILE } from '../../source.js';
import { refusals, SkillRefusal } from './refusal.js';

/** One file of a skill. */
export interface PublishedFile {
  /** Relative to the skill, decoded, `/`-separated. */
  readonly path: string;
  /** As the server writes it. */
  readonly uri: string;
  readonly size?: number;
  /** Present only together with `size`. */
  readonly digest?: string;
}

export interface PublishedSkill {
  /** The URI of `SKILL.md`, as the server writes it. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** Whether it meets every MUST of the Agent Skills standard, as far as known. */
  readonly conforms: boolean;
  readonly version: string;
  /** Including `SKILL.md`. */
  readonly files: readonly PublishedFile[];
  /** Whether there are no other files; otherwise the server is asked for unlisted ones. */
  readonly complete: boolean;
  /** Absent until `SKILL.md` is read. */
  readonly frontmatter?: Fields;
  /** Whether the frontmatter was published separately and has to match `SKILL.md`. */
  readonly declared: boolean;
}

export const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Throws a `SkillRefusal` unless the files are valid and within the limits. */
export function checkFiles(files: readonly PublishedFile[]): void {
  if (files.length > LIMITS.files) throw new SkillRefusal(refusals.tooManyFiles(files.length));
  const bytes = files.reduce((sum, { size = 0 }) => sum + size, 0);
  if (bytes > LIMITS.skill) throw new SkillRefusal(refusals.tooManyBytes(bytes));
  const paths = new Set<string>();
  for (const { path, uri } of files) {
    if (paths.has(path)) throw new SkillRefusal(refusals.fileTwice(uri));
    paths.add(path);
  }
  if (!paths.has(SKILL_FILE)) throw new SkillRefusal(refusals.noSkillFile);
}

/** A valid number of bytes; undefined for anything else. */
export function sizeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
