/** What a server says of one skill, whatever the shape it says it in. Plain JSON, so that it can be remembered. */
import type { Fields } from '../../../json.js';
import { LIMITS } from '../../skills/rules.js';
import { SKILL_FILE } from '../../source.js';
import { Refusal, refusals } from './refusal.js';

/** One file of a skill. */
export interface PublishedFile {
  /** Below the skill, decoded and `/`-separated. */
  readonly path: string;
  /** As the server writes it. */
  readonly uri: string;
  readonly size?: number;
  /** Present where the server vouches for the bytes; then its size does too. */
  readonly digest?: string;
}

export interface PublishedSkill {
  /** Of `SKILL.md`, as the server writes it. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** Whether it keeps every MUST of the Agent Skills standard, as far as is known. */
  readonly conforms: boolean;
  readonly version: string;
  /** With `SKILL.md` among them. */
  readonly files: readonly PublishedFile[];
  /** Whether there are no other files; else the server is asked for what it does not list. */
  readonly complete: boolean;
  /** Absent where `SKILL.md` was not read yet. */
  readonly frontmatter?: Fields;
  /** Whether the server published the frontmatter apart from `SKILL.md`, which then has to say the same. */
  readonly declared: boolean;
}

export const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Throws unless these are the files of one skill, within the limits. */
export function checkFiles(files: readonly PublishedFile[]): void {
  if (files.length > LIMITS.files) throw new Refusal(refusals.tooManyFiles(files.length));
  const bytes = files.reduce((sum, { size = 0 }) => sum + size, 0);
  if (bytes > LIMITS.skill) throw new Refusal(refusals.tooManyBytes(bytes));
  const paths = new Set<string>();
  for (const { path, uri } of files) {
    if (paths.has(path)) throw new Refusal(refusals.fileTwice(uri));
    paths.add(path);
  }
  if (!paths.has(SKILL_FILE)) throw new Refusal(refusals.noSkillFile);
}

/** A count of bytes as servers may give it; undefined for anything else. */
export function sizeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
