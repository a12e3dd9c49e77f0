/** The location of the trees in the store: all that a server needs, without the code that writes them. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolder } from '../../state/folder.js';

/** The owner of the store. */
export interface StoreOwner {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
}

/** The trees of a store, to be read. */
export class StoredTrees {
  protected readonly root: string;

  constructor({ env, home }: StoreOwner) {
    this.root = stateFolder(undefined, '', 'store', env, home);
  }

  /** The folder of a tree, by its digest. */
  folderOf(content: string): string {
    return join(this.root, 'trees', content.replace('sha256:', ''));
  }

  has(content: string): boolean {
    return statSync(this.folderOf(content), { throwIfNoEntry: false })?.isDirectory() === true;
  }
}
