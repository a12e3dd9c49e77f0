/** Servers that each caller of `serve --http` signs in to. */
import type { Log } from '../log.js';
import type { CallerServers } from '../serve/http/sign-in/index.js';
import { type UpstreamSource, upstreams } from '../sources/upstream/index.js';
import { LoginStore } from '../sources/upstream/sign-in/login-store.js';
import { stateFolder } from '../state/index.js';
import type { Config } from './config/index.js';
import type { Io } from './io.js';

const KEY = 'FOOTBRIDGE_LOGIN_KEY';
const KEY_TEXT = /^[0-9a-f]{64}$/i;

export interface OpenedCallerServers extends CallerServers {
  /** Applies changed settings to what callers use already. */
  update(servers: Config['mcpServers']): void;
}

/** `hasOthers`: whether all callers share other servers, so that names must be distinguished. */
export function callerServers(servers: Config['mcpServers'], hasOthers: boolean, log: Log, { env, home }: Io): OpenedCallerServers {
  let current = servers;
  const open = new Set<UpstreamSource>();
  const key = keyIn(env);
  const uses = (way: 'caller' | 'exchange') => Object.values(servers).some((server) => 'url' in server && server.signIn === way);
  return {
    store: new LoginStore(stateFolder(undefined, '', 'caller-logins', env, home), key),
    key,
    uses: { exchange: uses('exchange'), pages: uses('caller') },
    environment: env,
    source(logins) {
      const source = upstreams({ servers: current, hasOthers, logins, log });
      open.add(source);
      const close = source.close.bind(source);
      source.close = () => {
        open.delete(source);
        close();
      };
      return source;
    },
    update(next) {
      current = next;
      for (const source of open) source.update(next);
    },
  };
}

function keyIn(env: NodeJS.ProcessEnv): Buffer | undefined {
  const text = env[KEY];
  if (!text) return undefined;
  if (!KEY_TEXT.test(text)) throw new Error(`${KEY} must be 64 hexadecimal digits, such as \`openssl rand -hex 32\` prints.`);
  return Buffer.from(text, 'hex');
}
