/** The real server of the page, in this process so that tests can define its sources. */
import { createHash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { serveHttp } from '../../src/serve/http/index.js';
import type { HttpAccess } from '../../src/serve/http/options.js';
import { createRequestLog } from '../../src/serve/telemetry/request-log.js';
import { skillFolders } from '../../src/sources/skills/index.js';
import type { Source } from '../../src/sources/source.js';
import type { World } from './folders.js';

export interface PageServerOptions extends Pick<HttpAccess, 'roles' | 'limits'> {
  readonly sources?: readonly Source[];
  /** The required token; without it, no authentication is required. */
  readonly token?: string;
}

export interface PageServer {
  /** The URL of the page, with a slash at the end. */
  readonly url: string;
  readonly endpoint: string;
  /** Rescans the folders. */
  rescan(): Promise<void>;
  close(): Promise<void>;
}

/** Serves a world's skills on a free port until the test is over. */
export async function startPageServer(world: World, { sources = [], token, ...access }: PageServerOptions = {}): Promise<PageServer> {
  const skills = skillFolders({ workingFolder: world.project, home: world.home, watch: false });
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const tokens = token === undefined ? [] : [{ name: 'build-agent', sha256: sha256(token), roles: ['reader'] }];
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    sources: [skills, ...sources],
    access: { ...access, tokens },
    log: createRequestLog('silent'),
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= server.close();
    return closed;
  };
  onTestFinished(close);
  return { url: server.page, endpoint: server.endpoint, rescan: () => skills.refresh(), close };
}
