/** What a server publishes about a skill, as plain JSON for the cache. */
import { echo } from '../../../errors.js';
import type { Fields } from '../../../json.js';
import { redact } from '../../../redact.js';
import { LIMITS } from '../../skills/rules.js';
import { type Notice, SKILL_FILE } from '../../source.js';

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

/** Throws a `SkillRefusal` for too many files. */
export function checkCount(files: readonly unknown[]): void {
  if (files.length > LIMITS.files) throw new SkillRefusal(refusals.tooManyFiles(files.length));
}

/** Throws a `SkillRefusal` unless the files are valid and within the limits. */
export function checkFiles(files: readonly PublishedFile[]): void {
  checkCount(files);
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

type Reason = Pick<Notice, 'rule' | 'message' | 'action'>;

/** Thrown while a skill is checked, and converted to a notice. */
export class SkillRefusal extends Error {
  constructor(readonly reason: Reason) {
    super(reason.message);
    this.name = 'SkillRefusal';
  }
}

/** The notice for a refused skill. */
export function refused(uri: string, { rule, message, action }: Reason): Notice {
  return { severity: 'error', rule, file: echo(uri), message, action, skipped: true };
}

const TELL = 'Report it to the author of the server.';

export const refusals = {
  badEntry: (problem: string): Reason => ({
    rule: 'entry',
    message: `The server's entry for this skill is invalid: ${problem}.`,
    action: TELL,
  }),
  badUri: {
    rule: 'uri',
    message: 'The URI does not name a SKILL.md in a folder of its own.',
    action: TELL,
  },
  listedTwice: {
    rule: 'listed-twice',
    message: 'The server lists this skill more than once; only the first is served.',
    action: TELL,
  },
  outside: (uri: string): Reason => ({
    rule: 'file-outside',
    message: `The skill claims a file outside its own folder: '${echo(uri)}'.`,
    action: 'Do not trust this skill. Report it to the author of the server.',
  }),
  fileTwice: (uri: string): Reason => ({
    rule: 'file-twice',
    message: `The skill lists a file more than once: '${echo(uri)}'.`,
    action: TELL,
  }),
  noSkillFile: {
    rule: 'file-missing',
    message: 'The skill does not list its own SKILL.md.',
    action: TELL,
  },
  tooManyFiles: (count: number): Reason => ({
    rule: 'skill-files',
    message: `The skill has ${count} files; the limit is ${LIMITS.files}.`,
    action: 'Ask the author of the server to split the skill.',
  }),
  tooManyBytes: (bytes: number): Reason => ({
    rule: 'skill-size',
    message: `The skill has ${bytes} bytes; the limit is ${LIMITS.skill}.`,
    action: 'Ask the author of the server to keep large data outside the skill.',
  }),
  longFrontmatter: {
    rule: 'frontmatter-size',
    message: `The frontmatter is longer than ${LIMITS.frontmatter} characters.`,
    action: 'Ask the author of the server to move detail into the body of SKILL.md.',
  },
  unreadable: (why: string): Reason => ({
    rule: 'unreadable',
    message: `SKILL.md could not be read from the server: ${echo(redact(why))}`,
    action: 'Check that the server works, and see its log.',
  }),
  tooManySkills: (count: number, most: number): Reason => ({
    rule: 'skills-many',
    message: `The server lists ${count} skills; only the first ${most} are used.`,
    action: 'Ask the operator of the server to publish fewer.',
  }),
} as const;
