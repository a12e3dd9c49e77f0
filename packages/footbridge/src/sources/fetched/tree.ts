/** Finds the skills in the staged files, and builds the tree that the store keeps. */
import type { YamlLibrary } from '../../bounded-yaml.js';
import { echo } from '../../errors.js';
import { atOnce } from '../../turns.js';
import { findFrontmatter, readFields, readPlainFields } from '../skills/frontmatter.js';
import { checkFields, LIMITS, SKIPPED_FOLDERS, STANDARD_NAME } from '../skills/rules.js';
import { type Notice, SKILL_FILE } from '../source.js';
import { FetchError } from './fetch-error.js';
import { checkNames, collisionKey } from './paths.js';
import { folderProblem, placeSkills } from './placing.js';
import { SORTED_TOGETHER, sortedSteps } from './sorted.js';
import type { StagedFile } from './staging.js';

/** A file of a stored skill. Its path is below the skill. */
export interface StoredFile {
  readonly path: string;
  readonly digest: string;
  readonly size: number;
  readonly executable?: true;
}

/** A skill in a tree. */
export interface TreeSkill {
  /** Its folder in the tree. */
  readonly folder: string;
  readonly name: string;
  readonly description: string;
  /** By path. */
  readonly files: readonly StoredFile[];
}

/** A skill that was found, with its files in the staging area. */
export interface FoundSkill extends TreeSkill {
  /** Where it is in the source; empty at the top. */
  readonly path: string;
  readonly licence: string | undefined;
  /** What is wrong with its frontmatter. */
  readonly notices: readonly Notice[];
  readonly staged: readonly StagedFile[];
}

/** A folder with `SKILL.md` that cannot be used. */
export interface UnusableSkill {
  readonly path: string;
  readonly reason: string;
}

/** Skills in the staged files, outermost folders first; a `SKILL.md` further down belongs to the skill around it. */
export async function skillsInFiles(
  files: readonly StagedFile[],
  title: string,
): Promise<{ readonly skills: readonly FoundSkill[]; readonly unusable: readonly UnusableSkill[] }> {
  const roots = skillFoldersIn(files);
  const byRoot = new Map<string, StagedFile[]>([...roots].map((root) => [root, []]));
  for (const file of files) {
    const root = rootOf(file.path, roots);
    if (root !== undefined && !isSkipped(below(root, file.path))) byRoot.get(root)?.push(file);
  }
  const skills: FoundSkill[] = [];
  const unusable: UnusableSkill[] = [];
  for (const [path, staged] of byRoot) {
    const read = await readSkill(path, staged, title).catch(asUnusable(path));
    if ('reason' in read) unusable.push(read);
    else skills.push(read);
  }
  const placed = placeSkills(skills);
  return { skills: placed.skills, unusable: [...unusable, ...placed.unusable] };
}

function asUnusable(path: string): (cause: unknown) => UnusableSkill {
  return (cause) => {
    if (cause instanceof FetchError) return { path, reason: cause.message };
    throw cause;
  };
}

function skillFoldersIn(files: readonly StagedFile[]): ReadonlySet<string> {
  const folders = files.filter(({ path }) => path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`)).map(({ path }) => parentOf(path));
  const roots = new Set<string>();
  for (const folder of folders.sort((one, other) => one.length - other.length)) {
    if (isSkipped(folder) || folder.split('/').length > LIMITS.depth) continue;
    if (rootOf(`${folder}/`, roots) === undefined) roots.add(folder);
  }
  return roots;
}

/** The skill that a path lies in. */
function rootOf(path: string, roots: ReadonlySet<string>): string | undefined {
  for (let folder = parentOf(path); ; folder = parentOf(folder)) {
    if (roots.has(folder)) return folder;
    if (folder === '') return undefined;
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function below(folder: string, path: string): string {
  return folder === '' ? path : path.slice(folder.length + 1);
}

function isSkipped(path: string): boolean {
  return path.split('/').some((name) => SKIPPED_FOLDERS.has(name));
}

async function readSkill(path: string, staged: readonly StagedFile[], title: string): Promise<FoundSkill | UnusableSkill> {
  const own = staged.find((file) => below(path, file.path) === SKILL_FILE);
  const head = own === undefined ? '' : own.read().toString('utf8', 0, LIMITS.frontmatter);
  const frontmatter = findFrontmatter(head);
  if (!frontmatter.found) return { path, reason: 'SKILL.md has no frontmatter.' };
  const plain = readPlainFields(frontmatter.yaml);
  const read = plain === undefined ? await readByLibrary(frontmatter.yaml) : { ok: true as const, fields: plain, repaired: false };
  if (!read.ok) return { path, reason: 'The frontmatter of SKILL.md is not valid YAML.' };
  const { fields, repaired } = read;
  const checked = checkFields(fields, '', path, repaired);
  if (!checked.served) return { path, reason: checked.notice.message };
  if (staged.length > LIMITS.files) return { path, reason: `It has more than ${LIMITS.files} files.` };
  const licence = fields.get('license');
  const last = path.split('/').at(-1) ?? '';
  return {
    path,
    folder: STANDARD_NAME.test(checked.name) ? checked.name : last === '' ? safeTitle(title) : last,
    name: checked.name,
    description: checked.description,
    licence: typeof licence === 'string' && licence.trim() !== '' ? licence.trim() : undefined,
    // Its folder in the tree has its name.
    notices: checked.notices.filter(({ rule }) => rule !== 'name-folder'),
    files: filesOf(path, staged),
    staged,
  };
}

/** A title comes from a URL, so it may be anything. */
function safeTitle(title: string): string {
  return title.includes('/') || folderProblem(title) !== undefined ? 'skill' : title;
}

async function readByLibrary(yaml: string) {
  const library: YamlLibrary = await import('yaml');
  return readFields(yaml, library);
}

/** Throws if two paths denote the same file on some system, or a name is not allowed there. */
function filesOf(root: string, staged: readonly StagedFile[]): readonly StoredFile[] {
  const keys = new Map<string, string>();
  const files = staged.map(({ path, digest, size, executable }) => {
    const own = below(root, path);
    checkNames(path, own.split('/'));
    claimPath(own, path, keys);
    return { path: own, digest, size, ...(executable ? { executable: true as const } : {}) };
  });
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Throws for a file that conflicts with another, or with a folder of the same name. */
export function claimPath(own: string, path: string, keys: Map<string, string>): void {
  const names = own.split('/');
  for (let depth = 1; depth <= names.length; depth++) {
    const part = names.slice(0, depth).join('/');
    const kind = depth === names.length ? 'file' : `folder ${part}`;
    const key = collisionKey(part);
    const before = keys.get(key);
    if (before === undefined) keys.set(key, kind);
    else if (kind === 'file' || before !== kind)
      throw new FetchError(
        `Two paths are the same on systems that ignore case or accents: '${echo(path)}'.`,
        'Ask its publisher to rename one of the two.',
      );
  }
}

/** Names a tree: equal for two exactly when all their files are. */
export function treeDigest(skills: readonly TreeSkill[]): string {
  return atOnce(treeDigestSteps(skills));
}

export function* treeDigestSteps(skills: readonly TreeSkill[]): Generator<void, string> {
  const lines: string[] = [];
  for (const { folder, files } of skills) {
    for (const { digest, executable, path, size } of files) {
      if (lines.length % SORTED_TOGETHER === 0) yield;
      lines.push(`${digest} ${size} ${executable === true ? 'x' : '-'} ${folder}/${path}\n`);
    }
  }
  const sorted = yield* sortedSteps(lines);
  // Loaded when first needed: it costs a start 3 ms.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  for (let at = 0; at < sorted.length; at += SORTED_TOGETHER) {
    hash.update(sorted.slice(at, at + SORTED_TOGETHER).join(''));
    yield;
  }
  return `sha256:${hash.digest('hex')}`;
}
