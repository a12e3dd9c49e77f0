/** The measurements: each is one or several sessions of a host. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { corpusSkills, writeSkill } from './corpus/skills.js';
import { markdown, SHAPE_TITLES, SHAPES, type Shape } from './corpus/texts.js';
import { type Drive, drive, type Session } from './drive.js';
import { type Host, inBoth, type ServerCommand, type Setting, type SkillFolder } from './host.js';
import type { InstalledHost } from './install.js';
import { knowledgeOf, mentions, tokensOf } from './knowledge.js';
import { isWhole, type NextCall } from './parts.js';

/** One session of a host, at most. */
export const SESSION_MS = 120_000;
const SHAPE_KILOBYTES = 60;
/** The folders that Footbridge reads by default. */
const STANDARD_FOLDERS = inBoth('.agent/skills', '.agents/skills', '.claude/skills');
/** One folder further down, which some hosts search, too. */
const NESTED_FOLDERS: readonly SkillFolder[] = ['.agents/skills/group', '.claude/skills/group'].map((path) => ({ root: 'project', path }));

/** The programs that a measurement starts. */
export interface Programs {
  readonly footbridge: string;
  readonly tap: string;
  readonly otherServer: string;
}

/** A host that can be driven. */
export interface Subject {
  readonly host: Host;
  readonly installed: InstalledHost;
  readonly programs: Programs;
}

export interface CatalogueRow {
  /** How the host introduces itself to a server. */
  readonly client: Session['client'];
  readonly setting: string;
  readonly skills: number;
  readonly named: number;
  readonly described: number;
  /** Tokens of the first turn, and how many of them are there because of Footbridge. */
  readonly tokens: number;
  readonly added: number;
  /** Whether the model could load a skill. */
  readonly isLoaded: boolean;
  readonly problem?: string;
}

export interface TextRow {
  readonly title: string;
  readonly isWhole: boolean;
  /** How many calls it took. */
  readonly calls: number;
  readonly problem?: string;
}

export interface FolderRow {
  readonly folder: string;
  /** Whether the host reads the folder by itself. */
  readonly isNative: boolean;
  /** How often the host mentions the skill in it, without Footbridge and with it. Some hosts name a skill in two places. */
  readonly alone: number;
  readonly together: number;
  readonly problem?: string;
}

/** What the model knows of that many skills before it calls one of Footbridge's tools. */
export async function measureCatalogue(subject: Subject, count: number, alone: number, setting?: Setting): Promise<CatalogueRow> {
  const { host, programs } = subject;
  const skills = corpusSkills(count);
  const [first] = skills;
  const calls = first === undefined ? [] : [{ tool: 'skill', input: { name: first.name } }];
  return withFolder(async (folder) => {
    for (const skill of skills) writeSkill(folder, skill);
    const session = await run(subject, {
      server: footbridge(programs, '--skills', folder),
      ...settingOf(setting, programs),
      calls,
    });
    const tokens = tokensOf(session.first);
    return {
      client: session.client,
      setting: setting?.title ?? '',
      skills: count,
      ...knowledgeOf(host.searchesFirst ? session.before : [session.first], skills),
      tokens,
      added: Math.max(0, tokens - alone),
      isLoaded: session.results[0]?.some((result) => result.includes(`Loading: ${first?.name}`)) ?? false,
      ...problemOf(session),
    };
  });
}

/** The tokens of the first turn without Footbridge. */
export async function measureAlone(subject: Subject, setting?: Setting): Promise<number> {
  const { first } = await run(subject, { calls: [], ...settingOf(setting, subject.programs) });
  return tokensOf(first);
}

function settingOf(setting: Setting | undefined, { otherServer }: Programs): Pick<Drive, 'env' | 'others'> {
  if (setting === undefined) return {};
  const others: Drive['others'] = setting.hasOtherServer ? { warehouse: { command: process.execPath, args: [otherServer] } } : {};
  return { env: setting.env, others };
}

/** Whether the instructions of a skill arrive whole. */
export function measureInstructions(subject: Subject, kilobytes: number): Promise<TextRow> {
  const body = markdown(kilobytes);
  return measureText(subject, `${kilobytes} KB`, body, { tool: 'skill', input: { name: 'long-text' } }, (folder) =>
    writeSkill(folder, LONG_TEXT, body),
  );
}

/** Whether a file of a skill that is easy to break arrives whole: half of the shapes by `get_resource`, half by `get_skill`. */
export function measureShape(subject: Subject, shape: Shape): Promise<TextRow> {
  const text = SHAPES[shape](SHAPE_KILOBYTES);
  const tool = SHAPE_TITLES.indexOf(shape) % 2 === 0 ? 'get_resource' : 'get_skill';
  return measureText(subject, shape, text, { tool, input: { uri: 'skill://long-text/notes.txt' } }, (folder) => {
    writeSkill(folder, LONG_TEXT);
    writeFileSync(join(folder, LONG_TEXT.name, 'notes.txt'), text);
  });
}

const LONG_TEXT = { name: 'long-text', description: 'A text that may be longer than a host lets through. Use to measure that.' };

function measureText(subject: Subject, title: string, text: string, call: NextCall, write: (folder: string) => void): Promise<TextRow> {
  return withFolder(async (folder) => {
    write(folder);
    const session = await run(subject, { server: footbridge(subject.programs, '--skills', folder), calls: [call] });
    const results = session.results[0] ?? [];
    return { title, isWhole: isWhole(results, text), calls: results.length, ...problemOf(session) };
  });
}

/** Plants a skill in each folder that the host or Footbridge reads, and counts how often each appears in what the model receives. */
export async function measureFolders(subject: Subject): Promise<FolderRow[]> {
  const { host, programs } = subject;
  const nameOf = ({ root, path }: SkillFolder) => `${root === 'home' ? '~' : '.'}/${path}`;
  const native = new Set(host.folders.map(nameOf));
  const folders = [
    ...new Map([...STANDARD_FOLDERS, ...host.folders, ...NESTED_FOLDERS].map((folder) => [nameOf(folder), folder])).values(),
  ];
  const skills = corpusSkills(folders.length);
  const planted = folders.flatMap((folder, index) => skills.slice(index, index + 1).map((skill) => ({ folder, skill })));
  const plant: Drive['plant'] = (roots) => {
    for (const { folder, skill } of planted) writeSkill(join(roots[folder.root], folder.path), skill);
  };
  const alone = await run(subject, { calls: [], plant });
  const calls = [{ tool: 'skill', input: { name: skills[0]?.name } }];
  const together = await run(subject, { server: footbridge(programs), calls, plant });
  const view = host.searchesFirst ? together.before.at(-1) : together.first;
  return planted.map(({ folder, skill }) => ({
    folder: nameOf(folder),
    // Whether a host searches its folders in depth is measured: a name alone may come from a list of the project's files.
    isNative: NESTED_FOLDERS.includes(folder) ? knowledgeOf([alone.first], [skill]).described > 0 : native.has(nameOf(folder)),
    alone: mentions(alone.first, skill.name),
    together: mentions(view, skill.name),
    ...problemOf(together),
  }));
}

export function footbridge({ footbridge: program }: Programs, ...args: readonly string[]): ServerCommand {
  return { command: process.execPath, args: [program, ...args] };
}

function run({ host, installed, programs }: Subject, options: Omit<Drive, 'timeoutMs'>): Promise<Session> {
  return drive(host, installed, { ...options, timeoutMs: SESSION_MS }, programs.tap);
}

function problemOf({ problem }: Session): { readonly problem?: string } {
  return problem === undefined ? {} : { problem };
}

export async function withFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'footbridge-hosts-skills-'));
  mkdirSync(folder, { recursive: true });
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
