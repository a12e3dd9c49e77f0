/** Where logins are stored, and how they are renewed. */
import type { LoginSettings } from '../../sources/upstream/index.js';
import { LoginStore } from '../../sources/upstream/sign-in/login-store.js';
import { stateFolder } from '../../state/index.js';
import type { Surroundings } from '../io.js';
import { sessionFolder, systemKeychain } from './keychain.js';

/** The logins of this person, of all hosts and projects. */
function loginFolder({ env, home }: Pick<Surroundings, 'env' | 'home'>): string {
  return stateFolder(undefined, '', 'logins', env, home);
}

export function loginStore(io: Pick<Surroundings, 'env' | 'home'>): LoginStore {
  return new LoginStore(loginFolder(io), { keychain: systemKeychain(io.env), sessionFolder: sessionFolder(io.env) });
}

export function loginSettings(io: Pick<Surroundings, 'env' | 'home'>): LoginSettings {
  return {
    store: loginStore(io),
    environment: io.env,
    renewElsewhere: async (id, used) => (await import('./renewal.js')).renewElsewhere(id, used, io.env),
  };
}
