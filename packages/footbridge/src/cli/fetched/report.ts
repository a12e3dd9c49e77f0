/** The contents of a source, for people and as JSON. */
import { join } from 'node:path';
import type { Acquired } from '../../sources/fetched/acquire.js';
import type { Signer } from '../../sources/fetched/evidence.js';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import type { PluginServer } from '../../sources/fetched/plugins/servers.js';
import type { Store } from '../../sources/fetched/store.js';
import type { FoundSkill } from '../../sources/fetched/tree.js';
import type { SkillRoot } from '../../sources/skills/folders.js';
import { skillFolders } from '../../sources/skills/index.js';
import { type Notice, SKILL_FILE, type Skill } from '../../sources/source.js';
import type { Io } from '../io.js';
import { checkSkill } from '../skill-problems.js';
import { grouped, plain, plural } from '../terminal.js';

export interface SourceReport {
  readonly source: string;
  readonly kind: string;
  readonly version: string;
  readonly resolved: LockedSource['resolved'];
  readonly signer: Signer | null;
  readonly content: string;
  readonly skills: readonly ReportedSkill[];
  readonly unusable: Acquired['unusable'];
  /** Links and other entries that are left out. */
  readonly skipped: readonly string[];
  /** MCP servers of its plugins. */
  readonly servers: readonly PluginServer[];
  /** Plugins that are in other sources. */
  readonly elsewhere: Acquired['plugins']['elsewhere'];
  /** Skills outside the folders of its plugins. */
  readonly others: readonly string[];
  readonly findings: readonly Pick<Notice, 'severity' | 'rule' | 'file' | 'message' | 'action'>[];
}

interface ReportedSkill {
  readonly name: string;
  /** In the source; empty at its top. */
  readonly path: string;
  readonly description: string;
  readonly files: number;
  readonly scripts: readonly string[];
  /** The approximate cost of SKILL.md. */
  readonly tokens: number;
  readonly licence: string | null;
}

const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|pl|php|lua|ps1|bat|cmd|(?:ba|z|fi)?sh)$/i;
/** More is too much to read, and would delay the prompt. */
const CHECKED = 50;

export async function reportOf(locked: LockedSource, acquired: Acquired, store: Store): Promise<SourceReport> {
  const { content, kind, resolved, signer = null, source, version } = locked;
  return {
    source,
    kind,
    version,
    resolved,
    signer,
    content,
    skills: acquired.skills.map(reported),
    unusable: acquired.unusable,
    skipped: acquired.skipped,
    ...acquired.plugins,
    others: acquired.others,
    findings: await findingsIn(locked, acquired, store),
  };
}

function reported({ description, files, licence, name, path }: FoundSkill): ReportedSkill {
  return {
    name,
    path,
    description,
    files: files.length,
    scripts: files.flatMap(({ executable, path }) => (executable === true || SCRIPT.test(path) ? [path] : [])),
    tokens: Math.ceil((files.find(({ path }) => path === SKILL_FILE)?.size ?? 0) / 4),
    licence: licence ?? null,
  };
}

/** As `lint` finds them; of skills after the first ones, what is wrong with their frontmatter. */
async function findingsIn(locked: LockedSource, { skills }: Acquired, store: Store): Promise<SourceReport['findings']> {
  const tree = store.folderOf(locked.content);
  const roots = skills
    .slice(0, CHECKED)
    .map(({ folder }): SkillRoot => ({ path: join(tree, folder), label: locked.source, location: 'project', named: true }));
  const source = skillFolders({ roots, watch: false });
  try {
    const { notices = [], skills: first = [] } = await source.open(
      () => {},
      () => {},
    );
    const found = [...notices];
    for (const skill of first) found.push(...(await checkSkill({ readSkill }, skill, true)).notices);
    const shown = found.map((each) => ({ ...each, file: each.file.startsWith(tree) ? each.file.slice(tree.length + 1) : each.file }));
    const rest = skills
      .slice(CHECKED)
      .flatMap((skill) => skill.notices.map((each) => ({ ...each, file: `${skill.folder}/${SKILL_FILE}` })));
    return [...shown, ...rest].map(({ action, file, message, rule, severity }) => ({ severity, rule, file, message, action }));
  } finally {
    source.close();
  }
}

async function readSkill(skill: Skill) {
  const content = await skill.read(SKILL_FILE);
  if (content === undefined) throw new Error('the skill was removed from the store');
  return content;
}

const MAX_LINES = 20;
const NAME_WIDTH = 24;

export function printSourceReport(report: SourceReport, io: Io): void {
  const { findings, signer, skills, skipped, source, unusable, version } = report;
  const { colors } = io;
  io.print(`${colors.bold(plain(source))}  ${colors.dim(`${plain(version)}, ${signerText(signer)}`)}`);
  for (const { description, files, licence, name, scripts, tokens } of skills.slice(0, MAX_LINES)) {
    const script = scripts.length === 0 ? [] : [colors.yellow(plural(scripts.length, 'script'))];
    const parts = [
      plural(files, 'file'),
      ...script,
      `≈${grouped(tokens)} tokens`,
      ...(licence === null ? [] : [plain(licence).slice(0, 30)]),
    ];
    io.print(`  ${plain(name).padEnd(NAME_WIDTH)} ${parts.join(', ')}`);
    io.print(colors.dim(`    ${cut(plain(description))}`));
  }
  if (skills.length > MAX_LINES) io.print(`  … and ${grouped(skills.length - MAX_LINES)} more; --json lists all`);
  const files = skills.reduce((sum, skill) => sum + skill.files, 0);
  const scripts = skills.reduce((sum, skill) => sum + skill.scripts.length, 0);
  io.print(`${plural(skills.length, 'skill')}, ${plural(files, 'file')}, ${plural(scripts, 'script')}.`);
  printSameNames(skills, io);
  printPlugins(report, io);
  if (skipped.length > 0) io.print(`Left out, because they are links or submodules: ${shortList(skipped)}`);
  for (const { path, reason } of unusable.slice(0, MAX_LINES))
    io.print(`${colors.yellow('Not usable:')} ${plain(path || SKILL_FILE)}: ${plain(reason)}`);
  for (const { file, message, severity } of findings.slice(0, MAX_LINES))
    io.print(`${severity === 'error' ? colors.red('error') : colors.yellow('warning')}  ${plain(file)}: ${plain(message)}`);
  if (skills.length > CHECKED) io.print(`Only the first ${CHECKED} skills were checked; footbridge lint checks all.`);
  if (findings.length > MAX_LINES) io.print(`… and ${grouped(findings.length - MAX_LINES)} more findings; see footbridge lint`);
}

/** All are served, but only one of them by its bare name. */
function printSameNames(skills: readonly ReportedSkill[], io: Io): void {
  const paths = new Map<string, string[]>();
  for (const { name, path } of skills) paths.set(name, [...(paths.get(name) ?? []), path === '' ? '.' : path]);
  const shared = [...paths].filter(([, all]) => all.length > 1);
  for (const [name, all] of shared.slice(0, MAX_LINES))
    io.print(`${io.colors.yellow('Same name:')} ${plain(name)} in ${shortList(all)}. To take only one: --skill ${plain(all[0] ?? '')}`);
  if (shared.length > MAX_LINES) io.print(`  … and ${grouped(shared.length - MAX_LINES)} more names`);
}

function printPlugins({ elsewhere, others, servers }: SourceReport, io: Io): void {
  if (others.length > 0) io.print(`Not of its plugins, and left out unless named with --skill: ${shortList(others)}`);
  if (servers.length > 0) io.print(`Its plugins have ${plural(servers.length, 'MCP server')}; --servers shows and adds them.`);
  if (elsewhere.length > 0) io.print('Plugins of this marketplace that are elsewhere:');
  for (const { source } of elsewhere.slice(0, MAX_LINES)) io.print(`  footbridge add ${plain(source)}`);
  if (elsewhere.length > MAX_LINES) io.print(`  … and ${grouped(elsewhere.length - MAX_LINES)} more; --json lists all`);
}

export function signerText(signer: Signer | null | undefined): string {
  return signer === null || signer === undefined ? 'unsigned' : `signed by ${plain(signer.identity)} (${plain(signer.method)})`;
}

function shortList(names: readonly string[]): string {
  const rest = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return `${names.slice(0, 5).map(plain).join(', ')}${rest}`;
}

const WIDTH = 74;

function cut(text: string): string {
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
}
