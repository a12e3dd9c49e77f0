/** The process that `keychain-question.ts` starts. The secret is read from stdin or written to stdout, never passed on a command line. */
import { text } from 'node:stream/consumers';
import type { Io } from '../io.js';

const SERVICE = 'Footbridge';

export async function answerFromKeychain(action: string, account: string, io: Io): Promise<number> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    // Not the kernel's keyring, which is not persistent.
    const entry = new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } });
    if (action === 'read') io.stdout.write((await entry.getPassword()) ?? '');
    else if (action === 'write') await entry.setPassword(await text(io.stdin));
    else if (action === 'remove') await entry.deletePassword();
    else return 1;
    return 0;
  } catch {
    // Locked, refused by the user, or missing, as on a server.
    return 1;
  }
}
