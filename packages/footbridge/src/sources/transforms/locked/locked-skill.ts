/** A skill that serves only what is in the lock, even if files changed since it was checked. */
import { echo, FootbridgeError } from '../../../errors.js';
import { decodeText } from '../../../text.js';
import { digestOf } from '../../skills/digest.js';
import { findFrontmatter, readTyped } from '../../skills/frontmatter.js';
import { type Notice, SKILL_FILE, type Skill, type SkillDigest, type SkillFileContent, type SkillManifest } from '../../source.js';
import { mapSkill } from '../index.js';
import { encodedPath } from './lock.js';

/** Hooks for checking a skill while it is served. */
export interface SkillGuard {
  /** Resolves when all its files have been checked once; with a notice when it differs. */
  readonly ready: () => Promise<Notice | undefined>;
  /** Called when content that is not in the lock was about to be served. */
  readonly drifted: () => void;
  /** What to do about content that is withheld. Default: to review it and lock it. */
  readonly actions?: readonly string[];
}

export function lockedSkill(
  skill: Skill,
  files: ReadonlyMap<string, SkillDigest>,
  { actions = ACTIONS, drifted, ready }: SkillGuard,
): Skill {
  const mustBeGood = async () => {
    const notice = await ready();
    if (notice !== undefined) throw withheld(notice.message, actions);
  };
  const read: Skill['read'] = async (path, context) => {
    await mustBeGood();
    const content = await skill.read(path, context);
    if (content === undefined || isLocked(path, content.bytes)) return content;
    drifted();
    throw notAsLocked(path, files.get(encodedPath(path)), content.bytes, actions);
  };
  const isLocked = (path: string, bytes: Uint8Array) => {
    const known = files.get(encodedPath(path));
    return known !== undefined && known.size === bytes.length && known.digest === digestOf(bytes);
  };
  return mapSkill(skill, {
    read,
    // Only what is in the lock is searched.
    ...(skill.opening === undefined ? {} : { opening: async () => (await read(SKILL_FILE))?.bytes }),
    async list(folder) {
      await mustBeGood();
      const entries = await skill.list(folder);
      const paths = [...files.values()].map(({ path }) => path);
      return entries?.filter(({ kind, path }) =>
        kind === 'file' ? files.has(encodedPath(path)) : paths.some((each) => each.startsWith(`${path}/`)),
      );
    },
    async manifest() {
      if ((await ready()) !== undefined) return undefined;
      const manifest = await skill.manifest();
      if (manifest === undefined) return undefined;
      if (!isAsLocked(manifest, files)) {
        drifted();
        return undefined;
      }
      // The file may have changed between reading its frontmatter and computing its digest.
      const frontmatter = skill.directory === undefined ? manifest.frontmatter : await frontmatterIn(await read(SKILL_FILE));
      return frontmatter === undefined ? undefined : { ...manifest, frontmatter };
    },
  });
}

function isAsLocked({ files: present, withheld = [] }: SkillManifest, files: ReadonlyMap<string, SkillDigest>): boolean {
  if (present === 'dynamic') return true;
  const isComplete = present.length + withheld.length === files.size && withheld.every((path) => files.has(encodedPath(path)));
  return isComplete && present.every(({ path, digest }) => files.get(encodedPath(path))?.digest === digest);
}

async function frontmatterIn(content: SkillFileContent | undefined): Promise<SkillManifest['frontmatter'] | undefined> {
  const found = findFrontmatter((content === undefined ? undefined : decodeText(content.bytes)) ?? '');
  return found.found ? readTyped(found.yaml, await import('yaml')) : undefined;
}

const ACTIONS = [
  'Continue without it, or use another skill.',
  "Ask the server's operator to review the change, and to run `footbridge lock` if it is intended.",
];

function withheld(message: string, suggestedActions: readonly string[]): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', message, { suggestedActions, retryable: true });
}

function notAsLocked(
  path: string,
  locked: SkillDigest | undefined,
  bytes: Uint8Array,
  suggestedActions: readonly string[],
): FootbridgeError {
  const what = locked === undefined ? 'is not in footbridge.lock' : 'differs from footbridge.lock';
  const details =
    locked === undefined
      ? undefined
      : locked.size === bytes.length
        ? `Its digest is ${digestOf(bytes)}, not ${locked.digest}.`
        : `It has ${bytes.length} bytes, not ${locked.size}.`;
  return new FootbridgeError('ResourceExecutionError', `The file '${echo(path)}' ${what}, so it is withheld.`, {
    details,
    suggestedActions,
    retryable: true,
  });
}
