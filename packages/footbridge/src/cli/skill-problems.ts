/** Checks of skills beyond their frontmatter, for `lint`, `dev`, `lock` and `doctor`. */
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { Catalog } from '../catalog/catalog.js';
import type { Snapshot } from '../catalog/snapshot.js';
import { systemCode } from '../errors.js';
import { qualifiedName, skillUri } from '../sources/skill-uri.js';
import { readHead } from '../sources/skills/files.js';
import { isInside } from '../sources/skills/folders.js';
import { LIMITS, SKIPPED_FOLDERS } from '../sources/skills/rules.js';
import { hasSecretName, isPrivateKey, KEY_HEADER_BYTES } from '../sources/skills/secret-files.js';
import { type Notice, SKILL_FILE, type Skill } from '../sources/source.js';
import { catalogueOf } from '../surfaces/catalogue/index.js';
import { CATALOGUE_BUDGET, UNLIMITED_VIEW } from '../surfaces/hosts/view.js';
import { decodeText } from '../text.js';
import type { Io } from './io.js';
import { eachLine, FileFindings } from './lint/findings.js';
import { type ServedFile, secretsIn } from './lint/secret-texts.js';
import { addTextFindings, lengthFinding, whenFinding } from './lint/text-rules.js';
import { type ShowProgress, withProgress } from './progress.js';
import { grouped, plain, plural, tokens } from './terminal.js';

/** `withText` also checks the texts, which is for authors. */
export async function skillProblems(catalog: Catalog, io: Io, withText = false) {
  const { snapshot } = catalog;
  const reports = await withProgress('checking…', (show) => checkAll(catalog, withText, show), io);
  const problems = [...snapshot.notices, ...shadows(snapshot), ...reports.flatMap((report) => report.notices), ...overBudget(snapshot)];
  return { problems, reports };
}

async function checkAll(catalog: Catalog, withText: boolean, show: ShowProgress): Promise<readonly SkillReport[]> {
  const { skills } = catalog.snapshot;
  const reports: SkillReport[] = [];
  for (const skill of skills) {
    show(`checking… ${grouped(reports.length)} of ${plural(skills.length, 'skill')}`);
    reports.push(await checkSkill(catalog, skill, withText));
  }
  return reports;
}

/** Relative to the working folder where possible. */
export function shortPath(file: string, { cwd }: Pick<Io, 'cwd'>): string {
  const short = relative(cwd, file);
  return plain(isAbsolute(file) && !short.startsWith('..') ? short : file);
}

export function shadows(snapshot: Snapshot): Notice[] {
  return snapshot.shadowed.map(({ skill, by }) => ({
    severity: 'warning',
    rule: 'shadowed',
    file: fileOf(skill),
    message: `The skill "${qualifiedName(skill)}" is not served: ${fileOf(by)} takes precedence.`,
    action: 'Rename or remove one of the two.',
  }));
}

function overBudget(snapshot: Snapshot): Notice[] {
  const { described, named, total } = catalogueOf(snapshot, UNLIMITED_VIEW);
  if (described === total) return [];
  const what = named < total ? `only ${named} of ${total} skills are named` : `only ${described} of ${total} skills are described`;
  return [
    {
      severity: 'warning',
      rule: 'catalogue-budget',
      file: '(catalogue)',
      message: `The catalogue exceeds ${grouped(CATALOGUE_BUDGET)} characters: ${what}.`,
      action: 'Shorten descriptions, serve fewer skills, or raise "catalogue.budget". list_skills finds the rest.',
    },
  ];
}

function fileOf(skill: Skill): string {
  return skill.directory === undefined ? skillUri(skill) : `${skill.directory}/SKILL.md`;
}

export interface SkillReport {
  readonly skill: Skill;
  readonly notices: readonly Notice[];
  /** Cost of its entry in the catalogue. */
  readonly catalogueTokens: number;
  /** Cost of loading it. */
  readonly bodyTokens: number;
}

/** Recommended by the standard. */
const BODY_TOKENS = 5000;

export async function checkSkill(catalog: Pick<Catalog, 'readSkill'>, skill: Skill, withText = false): Promise<SkillReport> {
  const content = await catalog.readSkill(skill).catch(() => undefined);
  const text = content === undefined ? '' : decodeText(content.bytes);
  const file = join(skill.directory ?? '', 'SKILL.md');
  const notices: Notice[] = [];
  const findings = new FileFindings();
  const warn = (rule: string, message: string, action: string) => notices.push({ severity: 'warning', rule, file, message, action });
  if (text === undefined) warn('encoding', 'SKILL.md is not UTF-8.', 'Save it as UTF-8. Otherwise some characters are lost.');
  if (withText && text !== undefined) {
    const [when, length] = [whenFinding(skill.description), lengthFinding(text)];
    await addTextFindings(text, findings);
    for (const found of [when, length]) if (found !== undefined) notices.push({ ...found, file });
  }
  const bodyTokens = tokens(text ?? '');
  if (bodyTokens > BODY_TOKENS)
    warn(
      'body-length',
      `SKILL.md costs about ${plural(bodyTokens, 'token')} each time it is loaded; the standard advises ${plural(BODY_TOKENS, 'token')}.`,
      'Move details into supporting files and link them from SKILL.md.',
    );
  if (skill.directory !== undefined) {
    const { files, problems } = checkFiles(skill.directory);
    notices.push(...problems);
    if (withText) notices.push(...(await secretsIn(files)));
    if (text !== undefined) await addReferences(text, skill.directory, findings);
  }
  notices.push(...findings.in(file));
  const entry = `<skill><name>${skill.name}</name><description>${skill.description}</description><location>${skill.location}</location></skill>`;
  return { skill, notices: notices.sort(byPlace), catalogueTokens: tokens(entry), bodyTokens };
}

function byPlace(one: Notice, other: Notice): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return (one.line ?? 0) - (other.line ?? 0);
}

/** Problems of files, and the files served besides SKILL.md. */
function checkFiles(directory: string): { readonly problems: readonly Notice[]; readonly files: readonly ServedFile[] } {
  const notices: Notice[] = [];
  const totals: Totals = { names: 0, files: 0, bytes: 0, served: [] };
  walk(directory, realpathSync.native(directory), notices, totals);
  if (totals.files > LIMITS.files || totals.bytes > LIMITS.skill || totals.names > LIMITS.names) {
    notices.push({
      severity: 'error',
      rule: 'skill-size',
      file: directory,
      message:
        totals.names > LIMITS.names
          ? `The skill has more than ${grouped(LIMITS.names)} files, folders and links.`
          : `The skill has ${plural(totals.files, 'file')} and ${plural(totals.bytes, 'byte')}; the limits are ${LIMITS.files} and ${LIMITS.skill}.`,
      action: 'Remove files that are not needed. Until then it is not served through the Skills extension.',
    });
  }
  return { problems: notices, files: totals.served.filter(({ file }) => file !== join(directory, SKILL_FILE)) };
}

interface Totals {
  names: number;
  files: number;
  bytes: number;
  readonly served: ServedFile[];
}

function walk(folder: string, root: string, notices: Notice[], totals: Totals): void {
  for (const name of namesIn(folder, notices)) {
    if (SKIPPED_FOLDERS.has(name) || totals.files > LIMITS.files || ++totals.names > LIMITS.names) continue;
    const path = join(folder, name);
    const link = lstatSync(path).isSymbolicLink();
    const stats = link && !isLinkInside(path, root) ? undefined : statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) {
      notices.push(lost(path, 'link-outside', 'The link points outside the skill.', 'Copy the file into the skill.'));
    } else if (stats.isDirectory()) {
      if (!link) walk(path, root, notices, totals);
    } else if (!stats.isFile()) {
      notices.push(lost(path, 'not-a-file', 'Neither a file nor a folder.', 'Remove it.'));
    } else {
      totals.files++;
      totals.bytes += stats.size;
      const found = checkFile(path, root, stats.size);
      notices.push(...found);
      if (found.length === 0) totals.served.push({ file: path, size: stats.size });
    }
  }
}

function namesIn(folder: string, notices: Notice[]): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    notices.push(lost(folder, 'unreadable', `It cannot be read (${systemCode(cause) ?? 'unknown error'}).`, 'Check its permissions.'));
    return [];
  }
}

function checkFile(file: string, root: string, size: number): Notice[] {
  const notices: Notice[] = [];
  if (size > LIMITS.file) {
    notices.push(
      lost(file, 'file-size', `The file has ${plural(size, 'byte')}; the limit is ${LIMITS.file}.`, 'Split it or move it elsewhere.'),
    );
  }
  if (isSecret(file, root)) {
    const message = 'The file is likely to contain secrets, so it is served only with "serveSecrets": true.';
    notices.push({ severity: 'warning', rule: 'secret-file', file, message, action: 'Move it out of the skill.' });
  }
  return notices;
}

/** Uses the criteria of serving: the name, the name of the link target, and the first bytes. */
function isSecret(file: string, root: string): boolean {
  try {
    const real = realpathSync.native(file);
    const names = [join(realpathSync.native(dirname(file)), basename(file)), real];
    if (names.some((each) => hasSecretName(relative(root, each)))) return true;
    const head = Buffer.alloc(KEY_HEADER_BYTES * 2);
    return readHead(real, head) !== undefined && isPrivateKey(head);
  } catch {
    // Reading it reports what is wrong.
    return false;
  }
}

function lost(file: string, rule: string, message: string, action: string): Notice {
  return { severity: 'error', rule, file, message, action, skipped: true };
}

function isLinkInside(path: string, root: string): boolean {
  try {
    return isInside(root, realpathSync.native(path));
  } catch {
    return false;
  }
}

const LINK = /\[[^[\]\n]{0,500}\]\(([^)\s]{1,500})(?:\s{1,8}"[^"]{0,200}")?\)/g;

/** A paragraph may be one line. */
const LONGEST_PARAGRAPH = 32 * 1024;

/** Relative links in SKILL.md to missing files. */
async function addReferences(text: string, directory: string, findings: FileFindings): Promise<void> {
  const known = new Map<string, boolean>();
  await eachLine(
    text,
    (content, line) => {
      for (const { 0: link, 1: target = '', index } of content.matchAll(LINK)) {
        const path = target.split(/[?#]/)[0] ?? '';
        if (path === '' || /^(?:[a-z][\w+.-]*:|\/)/i.test(path)) continue;
        const isThere = known.get(path) ?? isInSkill(directory, path);
        known.set(path, isThere);
        if (isThere) continue;
        const said = { message: `File "${path}" not found in the skill.`, action: 'Correct the link or add the file.' };
        findings.add({ severity: 'warning', rule: 'link-target', line, column: index + link.indexOf('](') + 3, ...said });
      }
    },
    LONGEST_PARAGRAPH,
  );
}

function isInSkill(directory: string, link: string): boolean {
  try {
    const path = join(directory, decodeURIComponent(link));
    return isInside(directory, path) && statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Invalid encoding or file name.
    return false;
  }
}
