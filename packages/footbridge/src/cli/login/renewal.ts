/** Renews a login in a separate process, which survives when a host ends Footbridge. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { SignInError } from '../../sources/upstream/sign-in/sign-in-error.js';
import { renewLogin } from '../../sources/upstream/sign-in/token-renewal.js';
import type { Io } from '../io.js';
import { thisProgram } from '../this-program.js';
import { loginStore } from './folder.js';

const LONGEST_REASON = 1024;

/** Resolves when the process has exited and the store has the result. Rejects with a `SignInError` on failure. */
export function renewElsewhere(id: string, used: string | undefined, env: NodeJS.ProcessEnv): Promise<void> {
  const { file, node } = thisProgram();
  const args = [file, 'renew-login', id, digestOf(used ?? '')];
  const child = spawn(node, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true, env });
  child.unref();
  if (child.stdout instanceof Socket) child.stdout.unref();
  let reason = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    reason = (reason + text).slice(0, LONGEST_REASON);
  });
  return new Promise((resolve, reject) => {
    const fail = () => reject(new SignInError(reason || 'The process that renews it ended early.', { retryable: true }));
    child.on('close', (code) => (code === 0 ? resolve() : fail()));
    child.on('error', fail);
  });
}

/** The process itself. Only the digest of the token is on its command line. */
export async function renewHere(id: string, digest: string, io: Io): Promise<number> {
  try {
    await renewLogin(loginStore(io), id, (token) => digestOf(token) === digest, io.env);
    return 0;
  } catch (cause) {
    // The waiting process finds the old token in the store.
    if (cause instanceof SignInError) io.stdout.write(cause.message);
    return 1;
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
