/** Renews a login in a process of its own, which a host that ends Footbridge does not end. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { renewLogin } from '../../sources/upstream/sign-in/token-renewal.js';
import type { Io } from '../io.js';
import { thisProgram } from '../this-program.js';
import { loginStore } from './folder.js';

/** Resolves when it has ended, whatever it did: the store has the result. */
export function renewElsewhere(id: string, used: string | undefined): Promise<void> {
  const { file, node } = thisProgram();
  const child = spawn(node, [file, 'renew-login', id, digestOf(used ?? '')], { detached: true, stdio: 'ignore', windowsHide: true });
  child.unref();
  return new Promise((resolve) => {
    child.on('exit', () => resolve());
    child.on('error', () => resolve());
  });
}

/** The process itself. Only the digest of the token is on its command line. */
export async function renewHere(id: string, digest: string, io: Io): Promise<number> {
  try {
    await renewLogin(loginStore(io), id, (token) => digestOf(token) === digest);
    return 0;
  } catch {
    // The process that waits finds the old token in the store.
    return 1;
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
