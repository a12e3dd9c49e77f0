/** The kind `folder`: a folder on this machine, which is copied into the store. */
import { opendir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { systemCode } from '../../errors.js';
import { SKIPPED_FOLDERS } from '../skills/rules.js';
import { FetchError } from './fetch-error.js';
import type { SourceKind } from './kind.js';
import { readBounded } from './read-bounded.js';
import { type Staging, stagedDigest } from './staging.js';

const EXECUTABLE = 0o111;

export const folderKind: SourceKind = {
  name: 'folder',
  form: './folder, ~/folder or /folder',
  parse(specification) {
    if (!/^(?:\.{0,2}\/|\.{1,2}$|~\/|\.{0,2}\\|[A-Za-z]:[\\/])/.test(specification)) return undefined;
    return {
      specification,
      title: basename(resolve(specification)),
      async fetch({ folder, home, pin, staging }) {
        const root = specification.startsWith('~/') ? join(home, specification.slice(2)) : resolve(folder, specification);
        await copyInto(staging, root, '');
        const digest = stagedDigest(staging);
        if (pin !== undefined && pin['digest'] !== digest)
          throw new FetchError(`${specification} differs from footbridge.lock.`, 'To review and accept the change, run: footbridge update');
        return { pin: { digest }, version: digest.slice(0, 'sha256:'.length + 12), folder: root };
      },
    };
  },
};

/** Links are skipped: they may lead anywhere. */
async function copyInto(staging: Staging, root: string, below: string): Promise<void> {
  const entries = await opendir(join(root, below)).catch((cause: unknown) => {
    const code = systemCode(cause);
    if (code === 'ENOTDIR')
      throw new FetchError(`${join(root, below)} is a file, not a folder.`, 'Unpack it if it is an archive, and name the folder.');
    const reason = code === 'ENOENT' ? 'was not found' : `cannot be read (${code ?? 'unknown error'})`;
    throw new FetchError(`The folder ${join(root, below)} ${reason}.`, 'Check its name and its permissions.');
  });
  for await (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    staging.count();
    if (entry.isDirectory()) {
      if (!SKIPPED_FOLDERS.has(entry.name)) await copyInto(staging, root, path);
    } else if (entry.isFile()) {
      const { mode, size } = await stat(join(root, path));
      staging.admit(path, size);
      const bytes = await readBounded(join(root, path), size);
      if (bytes === undefined) throw new FetchError(`The file ${join(root, path)} changed while it was read.`, 'Run the command again.');
      await staging.put(path, bytes, (mode & EXECUTABLE) !== 0);
    } else staging.skip(path);
  }
}
