/** The system keychain, and the folder for files of the user's session. */
import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Keychain } from '../../sources/upstream/sign-in/login-keys.js';

const SWITCH = 'FOOTBRIDGE_KEYCHAIN';
const BUS = 'DBUS_SESSION_BUS_ADDRESS';
const RUNTIME = 'XDG_RUNTIME_DIR';
/** What statfs reports for file systems in memory. */
const TMPFS = 0x01021994;

/** Undefined if there is none, or if it is switched off. */
export function systemKeychain(env: NodeJS.ProcessEnv): Keychain | undefined {
  if (env[SWITCH] === 'off') return undefined;
  const ask = async (words: readonly string[], input?: string) => {
    const bus = process.platform === 'linux' ? busOf(env) : '';
    if (bus === undefined) throw new Error('There is no keychain.');
    const { askKeychain } = await import('./keychain-question.js');
    return askKeychain(words, bus === '' ? env : { ...env, [BUS]: bus }, input);
  };
  return {
    read: async (account) => (await ask(['read', account])) || undefined,
    write: async (account, secret) => void (await ask(['write', account], secret)),
    remove: async (account) => void (await ask(['remove', account])),
  };
}

/** A folder in memory, for this user alone, until they log out. */
export function sessionFolder(env: NodeJS.ProcessEnv): string | undefined {
  const folder = runtimeFolder(env);
  return folder === undefined ? undefined : join(folder, 'footbridge');
}

/** Hosts start servers without most variables, so the address of the bus is often missing. */
function busOf(env: NodeJS.ProcessEnv): string | undefined {
  if (env[BUS]) return env[BUS];
  const folder = runtimeFolder(env);
  const socket = folder === undefined ? undefined : join(folder, 'bus');
  return socket !== undefined && statSync(socket, { throwIfNoEntry: false })?.isSocket() === true ? `unix:path=${socket}` : undefined;
}

function runtimeFolder(env: NodeJS.ProcessEnv): string | undefined {
  const own = process.geteuid?.();
  if (process.platform !== 'linux' || own === undefined || env[SWITCH] === 'off') return undefined;
  const folder = env[RUNTIME] || `/run/user/${own}`;
  try {
    const { mode, uid } = statSync(folder);
    return uid === own && (mode & 0o077) === 0 && statfsSync(folder).type === TMPFS ? folder : undefined;
  } catch {
    return undefined;
  }
}
