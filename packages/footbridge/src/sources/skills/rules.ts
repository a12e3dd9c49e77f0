/** What the Agent Skills standard asks of a skill's fields, and what we make of a breach. */
import type { Notice } from '../source.js';
import type { FrontmatterFields } from './frontmatter.js';

export const LIMITS = {
  name: 64,
  description: 1024,
  compatibility: 500,
  /** Bytes of one file. */
  file: 16 * 1024 * 1024,
  /** Files of one skill, and folders. */
  files: 512,
  /** Entries of its folders that are looked at, links and others included: each takes several calls of the system. */
  names: 2048,
  /** Bytes of all files of a skill that the Skills extension may carry. */
  skill: 16 * 1024 * 1024,
  /** Folders between a configured folder and a skill. */
  depth: 8,
  /** Folders without a skill that are searched where a link of a project leads out of it: it may be one to `/proc`. */
  outside: 10_000,
  /** Bytes of `SKILL.md` searched for the end of the frontmatter. */
  frontmatter: 16 * 1024,
  /** Characters of frontmatter as JSON that the Skills extension may carry: aliases multiply it. */
  frontmatterJson: 64 * 1024,
} as const;

/** Folders that are never looked into, in a configured folder or in a skill. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export const STANDARD_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A skill's fields, checked; or the reason it cannot be served. */
export type CheckedFields =
  | { readonly served: true; readonly name: string; readonly description: string; readonly notices: readonly Notice[] }
  | { readonly served: false; readonly notice: Notice };

/** A notice without its file, which the caller knows. */
type Finding = Omit<Notice, 'file'>;

/** Checks the fields of the skill in `folder` (its last name): lenient where the standard advises it. */
export function checkFields(fields: FrontmatterFields, folder: string, file: string, repaired: boolean): CheckedFields {
  const name = oneLine(fields.get('name'));
  const description = printable(fields.get('description')).trim();
  const refusal = refuse(name, description);
  if (refusal !== undefined) return { served: false, notice: { ...refusal, file, skipped: true } };
  const findings = [...(repaired ? [REPAIRED] : []), ...breaches(fields, name, description, folder)];
  return { served: true, name, description, notices: findings.map((finding) => ({ ...finding, file })) };
}

function refuse(name: string, description: string): Finding | undefined {
  if (name === '') return error('name-missing', 'The frontmatter has no name.', 'Add a line such as "name: my-skill".');
  if (/[/\\]/.test(name) || name === '.' || name === '..') {
    return error('name-separator', `The name "${name}" holds a path separator.`, 'Use lowercase letters, digits and hyphens.');
  }
  if (description === '') {
    return error(
      'description-missing',
      'The frontmatter has no description.',
      'Add a line that says what the skill does and when to use it.',
    );
  }
  return undefined;
}

function breaches(fields: FrontmatterFields, name: string, description: string, folder: string): Finding[] {
  const found: Finding[] = [];
  const report = (rule: string, message: string, action: string) => found.push(error(rule, message, action));
  const until = 'until then it is left out of the Skills extension.';
  if (!STANDARD_NAME.test(name) || name.length > LIMITS.name)
    report(
      'name-format',
      `The name "${name}" is not 1 to ${LIMITS.name} lowercase letters, digits and single hyphens.`,
      `Rename it; ${until}`,
    );
  else if (name !== folder)
    report('name-folder', `The name "${name}" is not that of its folder, "${folder}".`, `Give both the same name; ${until}`);
  const length = characters(description);
  if (length > LIMITS.description)
    report(
      'description-length',
      `The description has ${length} characters; the standard allows ${LIMITS.description}.`,
      'Move detail into the body of SKILL.md.',
    );
  const compatibility = fields.get('compatibility');
  const isCompatible = typeof compatibility === 'string' && compatibility !== '' && characters(compatibility) <= LIMITS.compatibility;
  if (compatibility !== undefined && !isCompatible)
    report(
      'compatibility-length',
      `compatibility is not a text of 1 to ${LIMITS.compatibility} characters.`,
      'Shorten it or leave it out.',
    );
  const metadata = fields.get('metadata');
  if (metadata !== undefined && !isTextMap(metadata))
    report('metadata-type', 'metadata is not a mapping of text to text.', 'Flatten nested values or quote them.');
  if (isMultiplied(fields))
    report(
      'frontmatter-aliases',
      `The frontmatter has more than ${LIMITS.frontmatterJson} characters where its aliases are written out.`,
      `Move detail into the body of SKILL.md; ${until}`,
    );
  return found;
}

/** Whether none of these notices breaks a MUST of the standard. */
export function conforms(notices: readonly Notice[]): boolean {
  return notices.every((notice) => notice.severity !== 'error');
}

/** Whether the frontmatter is only readable after a repair. */
export function isRepaired(notices: readonly Notice[]): boolean {
  return notices.some(({ rule }) => rule === REPAIRED.rule);
}

const REPAIRED: Finding = {
  severity: 'warning',
  rule: 'yaml-colon',
  message: 'A value holds ": " without quotes, which is not YAML; it was read as if quoted.',
  action: 'Put the value in quotes; other programs may skip the skill.',
};

function error(rule: string, message: string, action: string): Finding {
  return { severity: 'error', rule, message, action };
}

function oneLine(value: unknown): string {
  return printable(value).replace(/\s+/g, ' ').trim();
}

/** Text without control characters, line ends and tabs apart, and without halves of characters; empty for anything else. */
function printable(value: unknown): string {
  if (typeof value !== 'string') return '';
  // Most text is plain, and finding that out is much cheaper.
  if (!/[^ -~]/.test(value)) return value;
  return value.toWellFormed().replace(/(?![\n\t])\p{Cc}/gu, ' ');
}

function characters(value: string): number {
  return value.length <= LIMITS.compatibility ? value.length : [...value].length;
}

/** Whether fields have more characters as JSON than the Skills extension carries. Only aliases make them that long. */
function isMultiplied(fields: FrontmatterFields): boolean {
  const waiting: unknown[] = [...fields.values()];
  if (waiting.every((value) => typeof value === 'string')) return false;
  let characters = 0;
  waiting.push(...fields.keys());
  while (waiting.length > 0 && characters <= LIMITS.frontmatterJson) {
    const value = waiting.pop();
    if (value instanceof Map) for (const [key, inner] of value) waiting.push(key, inner);
    else if (Array.isArray(value)) for (const inner of value) waiting.push(inner);
    // With a comma, a colon or brackets; what is no text may be `null`.
    characters += typeof value === 'string' ? JSON.stringify(value).length + 1 : 5;
  }
  return characters > LIMITS.frontmatterJson;
}

function isTextMap(value: unknown): boolean {
  return value instanceof Map && [...value.values()].every((item) => typeof item === 'string');
}
