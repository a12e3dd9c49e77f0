/** The source `stored`: skills in the store, as locked. It only reads the disk. */
import { type Log, silentLog } from '../../log.js';
import { FolderSkill } from '../skills/folder-skill.js';
import type { SkillRoot } from '../skills/folders.js';
import { skillFolders } from '../skills/index.js';
import type { InternalContribution, InternalSource, Notice, Skill, SkillLocation } from '../source.js';
import type { LockedSource } from './locked-sources.js';
import { StoredSkill } from './stored-skill.js';
import type { StoredTrees } from './stored-trees.js';
import type { TreeSkill } from './tree.js';

/** A source to serve. */
export interface ServedSource {
  readonly locked: LockedSource;
  readonly location: SkillLocation;
}

/** Everything that is served at one moment. */
export interface StoredState {
  /** In order of priority. */
  readonly sources: readonly ServedSource[];
  /** Why something is not served. */
  readonly notices: readonly Notice[];
}

export interface StoredSkillsOptions {
  readonly store: StoredTrees;
  readonly first: StoredState;
  readonly serveSecrets?: boolean | undefined;
  /** Where the index of the last run is cached. Default: nowhere. */
  readonly cacheFolder?: string | undefined;
  readonly log?: Log;
}

export interface StoredSkills extends InternalSource {
  /** Serves this from now on. */
  update(next: StoredState): Promise<void>;
}

type Served = Required<Pick<InternalContribution, 'skills' | 'notices'>> & Pick<InternalContribution, 'settle'>;

/** Every file is checked against the lock when it is read, so a start need not read them. */
export function storedSkills({ cacheFolder, first, log = silentLog, serveSecrets, store }: StoredSkillsOptions): StoredSkills {
  let state = first;
  let folders: InternalSource | undefined;
  let announce: (next: Served) => void = () => {};
  let closed = false;
  /** The same object for each skill as long as it does not change. */
  const shown = new WeakMap<FolderSkill, Skill>();

  const open = async (): Promise<Served> => {
    folders?.close();
    const opened = state;
    const roots = opened.sources.map(({ locked, location }) => rootOf(locked, location, store));
    const present = roots.filter((_root, index) => store.has(opened.sources[index]?.locked.content ?? ''));
    const current = skillFolders({ roots: present, watch: false, cacheFolder, serveSecrets, log });
    folders = current;
    const found = await current.open(
      (next) => {
        if (!closed && folders === current) announce(contribution(next, opened));
      },
      () => {},
    );
    return contribution(found, opened);
  };

  const contribution = ({ notices = [], settle, skills = [] }: InternalContribution, { notices: own, sources }: StoredState): Served => {
    const trees = new Map(sources.map((each) => [store.folderOf(each.locked.content), each]));
    const missing = sources.filter(({ locked }) => !store.has(locked.content)).map(({ locked }) => notFetched(locked));
    const bySkill = new Map<TreeSkill, Skill>();
    const changed: Notice[] = [];
    for (const skill of skills) {
      if (!(skill instanceof FolderSkill)) continue;
      const match = treeSkillOf(skill, trees);
      if (match === undefined || match.tree.description !== skill.description || match.tree.name !== skill.name)
        changed.push(differs(skill, match?.locked.source ?? ''));
      else bySkill.set(match.tree, shown.get(skill) ?? checked(skill, match));
    }
    const served = sources.flatMap(({ locked }) => locked.skills.flatMap((tree) => bySkill.get(tree) ?? []));
    const rest = settle === undefined ? {} : { settle };
    return { skills: served, notices: [...own, ...missing, ...changed, ...notices], ...rest };
  };

  const checked = (skill: FolderSkill, { locked, tree }: Match): Skill => {
    const made = new StoredSkill(skill, locked, tree, log);
    shown.set(skill, made);
    return made;
  };

  return {
    name: 'stored',
    open(changed) {
      announce = changed;
      return open();
    },
    async refresh() {
      await folders?.refresh();
    },
    async update(next) {
      state = next;
      const served = await open();
      if (!closed && state === next) announce(served);
    },
    close() {
      closed = true;
      folders?.close();
    },
  };
}

interface Match {
  readonly locked: LockedSource;
  readonly tree: TreeSkill;
}

function rootOf({ content, source }: LockedSource, location: SkillLocation, store: StoredTrees): SkillRoot {
  return { path: store.folderOf(content), label: source, location, named: true };
}

const folders = new WeakMap<LockedSource, ReadonlyMap<string, TreeSkill>>();

function treeSkillOf({ folder, group, parent }: FolderSkill, trees: ReadonlyMap<string, ServedSource>): Match | undefined {
  const locked = trees.get(parent.root.path)?.locked;
  if (locked === undefined) return undefined;
  const known = folders.get(locked) ?? new Map(locked.skills.map((skill) => [skill.folder, skill]));
  folders.set(locked, known);
  const tree = known.get(group.length === 0 ? folder : `${group.join('/')}/${folder}`);
  return tree === undefined ? undefined : { locked, tree };
}

function notFetched({ skills, source }: LockedSource): Notice {
  const count = skills.length === 1 ? 'its skill is' : `its ${skills.length} skills are`;
  return {
    severity: 'error',
    rule: 'not-fetched',
    file: source,
    message: `It was not fetched to this machine, so ${count} not served.`,
    action: 'Run: footbridge fetch',
    skipped: true,
  };
}

function differs({ directory, name }: FolderSkill, source: string): Notice {
  return {
    severity: 'error',
    rule: 'store-changed',
    file: directory,
    message: `The skill "${name}" of ${source} is not as it was fetched.`,
    action: 'Run: footbridge fetch',
    skipped: true,
  };
}
