/** An empty bare repository, as `git init --bare` makes it, without a process. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `folder` does not exist, and its parent is private. */
export function createRepository(folder: string): void {
  for (const each of ['', 'objects', join('objects', 'info'), join('objects', 'pack'), 'refs', join('refs', 'heads'), join('refs', 'tags')])
    mkdirSync(join(folder, each), 0o700);
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n', { flag: 'wx' });
  writeFileSync(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n', { flag: 'wx' });
}
