/** The verified files of a skill: with the digests of its source, or as they are at the moment. */
import { digestOf } from '../../sources/skills/digest.js';
import { LIMITS } from '../../sources/skills/rules.js';
import type { Skill, SkillDigest } from '../../sources/source.js';

/** Why a skill cannot be written into a folder. */
export class SyncRefusal extends Error {}

/** Digests of all files. Throws a `SyncRefusal` for a skill that a host would not accept. */
export async function filesOf(skill: Skill): Promise<readonly SkillDigest[]> {
  if (!skill.conforms || !FOLDER_NAME.test(skill.name))
    throw new SyncRefusal('It breaks the Agent Skills standard, so hosts may not read it. See: footbridge lint');
  const manifest = await skill.manifest();
  if (manifest === undefined) throw new SyncRefusal('Its files exceed the limits or cannot be read. See: footbridge lint');
  const files = manifest.files === 'dynamic' ? await readAll(skill) : manifest.files;
  const bad = files.find(({ path }) => !isSafePath(path));
  if (bad !== undefined) throw new SyncRefusal(`The path of a file is not portable: ${JSON.stringify(bad.path)}.`);
  const folded = new Set(files.map(({ path }) => path.normalize('NFC').toLowerCase()));
  if (folded.size < files.length) throw new SyncRefusal('Two of its files have names that differ only in case or in Unicode form.');
  return files;
}

/** One file. Throws a `SyncRefusal` unless it still matches the digest. */
export async function verifiedBytes(skill: Skill, { digest, path }: SkillDigest): Promise<Uint8Array> {
  const content = await skill.read(path);
  if (content === undefined || digestOf(content.bytes) !== digest)
    throw new SyncRefusal(`${path} does not match its digest: it has just changed, or has been tampered with. Run the command again.`);
  return content.bytes;
}

const FOLDER_NAME = /^[a-z0-9-]{1,64}$/;

/** No path leads out of the folder, on any system. */
function isSafePath(path: string): boolean {
  return (
    path.length <= LONGEST && path.split('/').every((segment) => segment.length <= 255 && SEGMENT.test(segment) && !RESERVED.test(segment))
  );
}

const LONGEST = 1024;
// Neither `.` and `..` nor a name that ends like one, no Windows separator, no invisible characters.
const SEGMENT = /^(?:[^\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}])*[^\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}. ]$/u;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|\.git)$/i;

/** For a server without digests: the listed files, read once now and again when they are written. */
async function readAll(skill: Skill): Promise<readonly SkillDigest[]> {
  const files: SkillDigest[] = [];
  const folders = [''];
  let bytes = 0;
  for (const folder of folders) {
    for (const { kind, path } of (await skill.list(folder)) ?? []) {
      if (folders.length + files.length > LIMITS.files) throw new SyncRefusal(`It has more than ${LIMITS.files} files.`);
      if (kind === 'directory') folders.push(path);
      else {
        const content = await skill.read(path);
        if (content === undefined) throw new SyncRefusal(`${path} cannot be read.`);
        bytes += content.bytes.length;
        if (bytes > LIMITS.skill) throw new SyncRefusal(`Its files have more than ${LIMITS.skill} bytes.`);
        files.push({ path, size: content.bytes.length, digest: digestOf(content.bytes) });
      }
    }
  }
  return files;
}
