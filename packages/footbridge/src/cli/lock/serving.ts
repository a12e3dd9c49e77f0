/** Serving with `"locked": true`: filters every source by `footbridge.lock`, which is watched. */
import { resolve } from 'node:path';
import type { Log } from '../../log.js';
import { nameKey, parseSkillUri, pathKey, skillRoot } from '../../sources/skill-uri.js';
import type { Skill, Source } from '../../sources/source.js';
import { lockedBy } from '../../sources/transforms/locked/index.js';
import type { LockedSkill, Locks, SkillLock } from '../../sources/transforms/locked/lock.js';
import { decodeUri } from '../../uri-segment.js';
import type { Config } from '../config/index.js';
import { FileWatch } from '../file-watch.js';
import { type Lock, LockError, type LockedSkillEntry } from './document.js';
import { isPersonal, lockedOrigin, readLock } from './file.js';
import { type LockPlace, lockPlace } from './place.js';

/** The sources without the skills that differ from the lock. A missing or invalid lock withholds all skills and is logged. */
export async function lockedSources(
  sources: readonly Source[],
  { config, log, watch, cwd }: { readonly config: Config; readonly log: Log; readonly watch: boolean; readonly cwd: string },
) {
  const place = lockPlace(config, cwd);
  const listeners = new Set<() => void>();
  let current = await lockOf(place);
  const logProblem = ({ problem }: SkillLock) => problem !== undefined && log.error(`${problem.message} ${problem.action}`);
  logProblem(current.lock);
  const take = (next: ReadLock) => {
    if (next.content === current.content) return;
    current = next;
    logProblem(next.lock);
    if (next.lock.problem === undefined) log.info(`${place.file} reloaded`);
    for (const listener of listeners) listener();
  };
  const read = async () => take(await lockOf(place));
  const watcher = watch
    ? new FileWatch(resolve(cwd, place.file), { read, missing: () => take(missing(place)), failed: () => {}, log })
    : undefined;
  const locks: Locks = {
    get current() {
      return current.lock;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const locked = sources.map((source, index) => lockedBy({ locks, log, watch, reportsLock: index === 0 })(source));
  return {
    sources: locked,
    async checked() {
      await Promise.all(locked.map((source) => source.checked()));
    },
    close: () => watcher?.close(),
  };
}

/** Resources under `skill:` are served only as skills, which are checked. */
export function withoutSkillResources(servers: Config['mcpServers']): Config['mcpServers'] {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      const { exclude = {} } = server;
      return [name, { ...server, exclude: { ...exclude, resources: [...(exclude.resources ?? []), 'skill:*'] } }];
    }),
  );
}

interface ReadLock {
  readonly lock: SkillLock;
  readonly content: string;
}

async function lockOf(place: LockPlace): Promise<ReadLock> {
  try {
    const found = await readLock(place);
    return found === undefined ? missing(place) : { lock: skillLock(found.lock, place), content: found.text };
  } catch (cause) {
    if (cause instanceof LockError) return withholding(place, cause.message, cause.action);
    throw cause;
  }
}

function missing(place: LockPlace): ReadLock {
  return withholding(place, `${place.file} not found.`, 'Review what is served, then run `footbridge lock`.');
}

function withholding({ file }: LockPlace, reason: string, action: string): ReadLock {
  const message = `${reason} With "locked": true, no skill is served until it is valid.`;
  return {
    lock: { problem: { severity: 'error', rule: 'locked', file, message, action, skipped: true }, of: () => ({ state: 'unknown' }) },
    content: message,
  };
}

export function skillLock({ scope, skills }: Lock, place: Pick<LockPlace, 'folder' | 'cwd'>): SkillLock {
  const byUri = new Map(skills.map((skill) => [skill.uri, skill]));
  const known = new Map<LockedSkillEntry, LockedSkill>();
  const displacedBy = scope === 'project' ? displacing(skills) : () => undefined;
  return {
    of(skill) {
      // Its files are checked against the lock by its source.
      if (skill.provenance !== undefined) return { state: 'exempt' };
      const origin = lockedOrigin(skill, place);
      if (scope === 'project' && isPersonal(skill, place)) {
        const displaced = displacedBy(skill);
        return displaced === undefined ? { state: 'exempt' } : { state: 'elsewhere', origin, locked: displaced.origin };
      }
      const entry = byUri.get(skillRoot(skill));
      if (entry === undefined) return { state: 'unknown' };
      if (entry.origin !== origin) return { state: 'elsewhere', origin, locked: entry.origin };
      const locked = known.get(entry) ?? lockedOf(entry);
      known.set(entry, locked);
      return locked;
    },
  };
}

/** Finds the locked skill whose name, place or files another skill would take. */
function displacing(skills: readonly LockedSkillEntry[]): (skill: Skill) => LockedSkillEntry | undefined {
  const byPlace = new Map<string, LockedSkillEntry>();
  const around = new Map<string, LockedSkillEntry>();
  for (const entry of skills) {
    const segments = parseSkillUri(entry.uri) ?? [];
    byPlace.set(pathKey(segments), entry);
    for (let depth = 1; depth < segments.length; depth++) around.set(pathKey(segments.slice(0, depth)), entry);
  }
  return ({ group, name }) => {
    const folders = group.map((_each, index) => pathKey(group.slice(0, index + 1)));
    const place = pathKey([...group, name]);
    // The bare name of a skill in a group also leads to it.
    const taken = [place, nameKey(name), ...folders].map((each) => byPlace.get(each)).find((each) => each !== undefined);
    return taken ?? around.get(place);
  };
}

function lockedOf({ uri: root, description, files }: LockedSkillEntry): LockedSkill {
  return {
    state: 'locked',
    description,
    files: new Map(
      files.map(({ uri, digest, size }) => {
        const encoded = uri.slice(root.length + 1);
        // A path that is not valid UTF-8 belongs to no file.
        return [encoded, { path: decodeUri(encoded) ?? encoded, digest, size }];
      }),
    ),
  };
}
