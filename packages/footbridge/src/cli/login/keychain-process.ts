/** What the process does that `keychain-question.ts` starts. The secret is on no command line: it comes from stdin, and goes to stdout. */
import { text } from 'node:stream/consumers';
import type { Io } from '../io.js';

const SERVICE = 'Footbridge';

export async function answerFromKeychain(action: string, account: string, io: Io): Promise<number> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    // Not the keyring of the kernel: that forgets.
    const entry = new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } });
    if (action === 'read') io.stdout.write((await entry.getPassword()) ?? '');
    else if (action === 'write') await entry.setPassword(await text(io.stdin));
    else if (action === 'remove') await entry.deletePassword();
    else return 1;
    return 0;
  } catch {
    // Locked, refused by the user, or not there, as on a server.
    return 1;
  }
}
