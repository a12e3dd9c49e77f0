/** The configured servers, each started or connected to as `footbridge` does it. */
import { setTimeout } from 'node:timers/promises';
import { silentLog } from '../../log.js';
import { MODERN } from '../../sources/upstream/eras.js';
import type { UpstreamFailure } from '../../sources/upstream/failure.js';
import { loginTo } from '../../sources/upstream/index.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import { ProcessSlots } from '../../sources/upstream/process-slots.js';
import { SHOWN } from '../../sources/upstream/showing.js';
import type { LoginValidity } from '../../sources/upstream/sign-in/login-options.js';
import { START_MS } from '../../sources/upstream/supervised-connection.js';
import { openerOf } from '../../sources/upstream/transports/index.js';
import { ManagedUpstream } from '../../sources/upstream/upstream.js';
import { inTurns } from '../../turns.js';
import type { Config } from '../config/index.js';
import type { Io } from '../io.js';
import { loginSettings } from '../login/folder.js';
import { tokens } from '../terminal.js';
import type { Cleanup } from './cleanup.js';
import { collectStderr, type Finding, failureCode, finding, type Section } from './finding.js';

export interface ServerReport {
  readonly name: string;
  readonly reached: boolean;
  /** Until it had listed everything, or failed. */
  readonly ms: number;
  readonly title?: string;
  readonly version?: string;
  readonly revision?: string;
  readonly tools?: number;
  /** About how many tokens the definitions of its tools take. */
  readonly toolTokens?: number;
  readonly resources?: number;
  readonly templates?: number;
  readonly prompts?: number;
  readonly skills?: number;
  /** How long the login is valid. */
  readonly login?: LoginValidity;
}

/** Servers that are checked at the same time. */
const MAX_CHECKED = 16;
/** For the lists, after the handshake. */
const LIST_MS = 5000;

export async function checkServers({ mcpServers }: Config, cleanup: Cleanup, io: Io): Promise<Section<readonly ServerReport[]>> {
  const names = Object.keys(mcpServers);
  const checked = new Map<string, CheckedServer>();
  const left = Object.entries(mcpServers).values();
  const checkNext = async () => {
    for (const [name, server] of left) checked.set(name, await checkServer(name, server, cleanup, io));
  };
  await Promise.all(Array.from({ length: MAX_CHECKED }, checkNext));
  const inOrder = names.flatMap((name) => checked.get(name) ?? []);
  return { data: inOrder.map(({ report }) => report), findings: inOrder.flatMap(({ found }) => found) };
}

interface CheckedServer {
  readonly report: ServerReport;
  readonly found: readonly Finding[];
}

async function checkServer(name: string, server: UpstreamServer, cleanup: Cleanup, io: Io): Promise<CheckedServer> {
  const given = 'command' in server ? Object.values(server.env ?? {}) : 'url' in server ? Object.values(server.headers ?? {}) : [];
  const stderr = collectStderr(given);
  const login = loginTo(server, loginSettings(io), silentLog);
  const upstream = new ManagedUpstream({
    name,
    server,
    openerFor: (opened) =>
      openerOf(server, {
        log: silentLog,
        name,
        stderr: stderr.take,
        headersFor: (message) => opened.headersFor(message),
        login,
      }),
    oneHost: false,
    isAlone: true,
    login,
    offersSignIn: true,
    memory: () => undefined,
    slots: new ProcessSlots(),
    afterwards: (work) => work(),
    idleMs: undefined,
    changed: () => SHOWN,
    updated() {},
    log: silentLog,
  });
  cleanup.add(() => upstream.close());
  const start = performance.now();
  const limit = (server.startTimeoutMs ?? START_MS) + LIST_MS;
  try {
    await Promise.race([upstream.settled(), setTimeout(limit, undefined, { ref: false })]);
    const ms = Math.round(performance.now() - start);
    const { listing } = upstream;
    const late: UpstreamFailure = {
      kind: 'timeout',
      message: `It completed the handshake but did not list what it offers within ${limit / 1000} s.`,
    };
    const failure = upstream.failure ?? (listing === undefined ? late : undefined);
    if (listing === undefined || failure !== undefined) {
      const { kind, message } = failure ?? late;
      const code = failureCode('server', kind, 'command' in server ? 'command' : 'url');
      const found = finding('error', code, `mcpServers.${name}`, message, { kind, details: stderr.last() });
      return { report: { name, reached: false, ms }, found: [found] };
    }
    const { handshake, era } = listing;
    const { name: title, version } = handshake.serverInfo;
    const revision = era === 'modern' ? MODERN : handshake.result['protocolVersion'];
    const report = {
      name,
      reached: true,
      ms,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof version === 'string' ? { version } : {}),
      ...(typeof revision === 'string' ? { revision } : {}),
      tools: listing.tools.length,
      toolTokens: tokens(JSON.stringify(listing.tools)),
      resources: listing.resources.length,
      templates: listing.templates.length,
      prompts: listing.prompts.length,
      skills: (await inTurns(upstream.skills(listing, []))).length,
      ...(login?.validity === undefined ? {} : { login: login.validity }),
    };
    return { report, found: loginFindings(name, login?.validity) };
  } finally {
    await upstream.close();
  }
}

/** How long before the end of a login that cannot be renewed it is reported. */
const SOON_MS = 7 * 24 * 3600 * 1000;

function loginFindings(name: string, validity: LoginValidity | undefined): readonly Finding[] {
  const { expiresAt, isRenewed } = validity ?? {};
  if (expiresAt === undefined || isRenewed === true || expiresAt > Date.now() + SOON_MS) return [];
  const message = `The login to ${name} ends at ${new Date(expiresAt).toISOString()} and cannot be renewed.`;
  return [finding('warning', 'login-ends', `mcpServers.${name}`, message)];
}
