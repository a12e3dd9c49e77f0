/** Where files can go on this machine. */
import { access, constants } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { systemCode } from 'footbridge/pack';

export async function filesystemStatus() {
  const [home, temporary, current] = await Promise.all([homedir(), tmpdir(), process.cwd()].map(folderStatus));
  return {
    home,
    temporary,
    current,
    next_steps: [
      home?.writable === true
        ? 'Packages can be installed and files be kept under the home folder.'
        : 'The home folder cannot be written to: name another folder where files are to be kept, or run the server as a user who has one.',
      ...(temporary?.writable === true ? [] : ['The temporary folder cannot be written to: set TMPDIR to one that can.']),
    ],
  };
}

async function folderStatus(folder: string) {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return { folder, writable: true };
  } catch (cause) {
    return { folder, writable: false, reason: systemCode(cause) ?? 'unknown' };
  }
}
