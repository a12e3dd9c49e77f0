/** Where logins are stored, and how they are renewed. */
import type { LoginSettings } from '../../sources/upstream/index.js';
import { LoginStore } from '../../sources/upstream/sign-in/login-store.js';
import { stateFolder } from '../../state/index.js';
import type { Surroundings } from '../io.js';
import type { WrappedServer } from '../wrapped-server.js';
import { sessionFolder, systemKeychain } from './keychain.js';

/** The logins of this person, of all hosts and projects. */
function loginFolder({ env, home }: Pick<Surroundings, 'env' | 'home'>): string {
  return stateFolder(undefined, '', 'logins', env, home);
}

export function loginStore(io: Pick<Surroundings, 'env' | 'home'>): LoginStore {
  return new LoginStore(loginFolder(io), { keychain: systemKeychain(io.env), sessionFolder: sessionFolder(io.env) });
}

/** `wrapped`: a server without an entry in `footbridge.json`. */
export function loginSettings(io: Pick<Surroundings, 'env' | 'home'>, wrapped?: WrappedServer): LoginSettings {
  return {
    nameOf: ({ url }) => (wrapped !== undefined && 'url' in wrapped.server && wrapped.server.url === url ? nameForLogin(url) : undefined),
    store: loginStore(io),
    environment: io.env,
    renewElsewhere: async (id, used) => (await import('./renewal.js')).renewElsewhere(id, used, io.env),
  };
}

/** The argument of `footbridge login` for a wrapped server: its URL, unless that may hold a secret or needs quotes. */
function nameForLogin(url: string): string {
  return /^[\w:/.~%-]+$/.test(url) ? url : 'URL';
}
