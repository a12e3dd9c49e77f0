/** `footbridge serve --http`. */
import { join } from 'node:path';
import { systemCode } from '../errors.js';
import { isLoopback } from '../serve/http/addresses.js';
import { hasExpired, isProtected } from '../serve/http/auth/index.js';
import { type HttpServer, serveHttp } from '../serve/http/index.js';
import type { SharedState } from '../serve/http/shared/shared-state.js';
import { createRequestLog, type LogFormat, type RequestLog } from '../serve/telemetry/request-log.js';
import { SkillUses, useFile } from '../serve/telemetry/skill-uses.js';
import { startTelemetry } from '../serve/telemetry/tracing.js';
import { stateFolder } from '../state/folder.js';
import type { Config } from './config/index.js';
import { hostViews } from './host-views.js';
import { type Io, type Output, processIo } from './io.js';
import { commandText } from './layout.js';
import { askForTrust, type CommonOptions, openSources, type Sources } from './options.js';
import { openingSources, type ShowProgress, withProgress } from './progress.js';
import { served } from './terminal.js';

export interface HttpCommandOptions extends CommonOptions {
  readonly http: Address;
  readonly redis?: string;
  readonly insecure?: boolean;
  readonly logFormat?: LogFormat;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Undefined for the stderr of the process, which has a non-blocking writer. */
export function destinationOf(io: Io): Output | undefined {
  return io === processIo ? undefined : io.stderr;
}

/** Serves until the process is stopped. */
export async function runHttp(options: HttpCommandOptions, io: Io): Promise<void> {
  await askForTrust(options, io);
  const { logFormat = io.stderr.isTTY === true ? 'text' : 'json' } = options;
  const log = createRequestLog(options.logLevel, { format: logFormat, destination: destinationOf(io) });
  // The folders are read when the server starts.
  const opening: { show: ShowProgress } = { show: () => {} };
  const progress = openingSources((text) => opening.show(text));
  const shared = options.redis === undefined ? undefined : (await import('../serve/http/shared/redis.js')).redisState(options.redis, log);
  const use = { watch: true, log, host: options.http.host, progress, sharedLists: shared?.values };
  try {
    await runWith(options, await openSources(options, use, io), { log, opening, shared }, io);
  } catch (cause) {
    await shared?.close();
    throw cause;
  }
}

interface Surrounding {
  readonly log: RequestLog;
  readonly opening: { show: ShowProgress };
  readonly shared: SharedState | undefined;
}

async function runWith(options: HttpCommandOptions, opened: Sources, surrounding: Surrounding, io: Io): Promise<void> {
  const stopUpdates = await startUpdates(opened.config, surrounding.log, io);
  try {
    await serveOpened(opened, options, surrounding, io);
  } finally {
    stopUpdates?.();
    await opened.end();
  }
}

async function startUpdates({ file, isDiscovered = false, update }: Config, log: RequestLog, io: Io): Promise<(() => void) | undefined> {
  if (update === undefined || file === undefined) return undefined;
  return (await import('./fetched/daily.js')).updateDaily({ file, isDiscovered, io, log });
}

async function serveOpened(
  { callerServers, config, packs, searchCache, servers, sources }: Sources,
  options: HttpCommandOptions,
  { log, opening, shared }: Surrounding,
  io: Io,
): Promise<void> {
  const { http: address, prompts = false } = options;
  requireAuthentication(config, options);
  for (const warning of [...uselessRoles(config), ...expiredTokens(config)]) log.warn(warning);
  const shown = hostViews(config, options, io);
  const uses = config.showing.countUsage === false ? undefined : new SkillUses(shared?.uses ?? useFile(usesFile(io)));
  // Loaded when an administrator opens the page.
  const inspect = async () => (await import('./inspection.js')).inspectSkills(sources, io);
  const telemetry = await startTelemetry(io.env, log);
  const server = await withProgress(
    'opening…',
    (show) => {
      opening.show = show;
      return serveHttp({
        ...address,
        sources,
        searchCache,
        access: config.http,
        tools: config.tools,
        hosts: shown.hosts,
        routes: packs?.routes ?? [],
        callerServers,
        prompts,
        log,
        shared,
        uses,
        inspect,
        observer: telemetry?.observer,
      });
    },
    io,
  ).catch((cause: unknown) => {
    throw cannotListen(cause, address);
  });
  packs?.provideAddress(async () => ({ url: server.base, release() {} }));
  // The reader of the banner may stop the process at once.
  const stop = io.stopped();
  io.print(banner(server, servers, config, io));
  await stop;
  // Calls may be waiting for a process that a pack started.
  await Promise.all([server.close(), packs?.end(), shown.end()]);
  await telemetry?.close();
}

/** Of all servers of this user. */
function usesFile({ env, home }: Io): string {
  return join(stateFolder(undefined, '', 'usage', env, home), 'days.json');
}

/** Throws if other machines could connect without authentication, unless that is allowed explicitly. */
export function requireAuthentication(
  { file, http }: Config,
  { http: { host }, insecure = false, wrapped }: Pick<HttpCommandOptions, 'http' | 'insecure' | 'wrapped'>,
): void {
  // A local proxy may forward requests of other machines.
  const reached = [host, ...(http.hosts ?? []), ...(http.publicUrl === undefined ? [] : [new URL(http.publicUrl).hostname])].find(
    (name) => !isLoopback(name),
  );
  if (reached === undefined || isProtected(http) || insecure) return;
  const place = file ?? (wrapped === undefined ? 'footbridge.json' : 'a file that --config names');
  throw new Error(
    `'${reached}' is reachable from other machines, and anyone could connect. Create a token with \`footbridge token NAME --write\`, or add one or http.oauth to ${place}. --insecure allows everyone.`,
  );
}

/** Tokens without access to anything, and roles without tools. */
function uselessRoles({ http: { roles, tokens = [] } }: Config): readonly string[] {
  if (roles === undefined) return [];
  const blind = tokens.filter((token) => !(token.roles ?? []).some((role) => role === 'metrics' || Object.hasOwn(roles, role)));
  const mute = Object.entries(roles).filter(
    ([, { skills = [], resources = [], tools = [] }]) => skills.length + resources.length > 0 && tools.length === 0,
  );
  return [
    ...blind.map(({ name }) => `the token of '${name}' has no role of http.roles, so it sees nothing`),
    ...mute.map(
      ([role]) => `the role '${role}' lists no tools, so a host that supports only tools sees nothing; "tools": ["*"] allows all`,
    ),
  ];
}

function expiredTokens({ http: { tokens = [] } }: Config): readonly string[] {
  return tokens
    .filter(hasExpired)
    .map(({ name, expires = '' }) => `the token of '${name}' expired on ${expires.slice(0, 10)}, so it is refused`);
}

/** Explains an error of listening; others are returned unchanged. */
export function cannotListen(cause: unknown, { host, port }: Address): unknown {
  const code = systemCode(cause);
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} is already in use. Choose another with --http, or stop the program that uses it.`);
  if (code === 'EACCES') return new Error(`Port ${port} requires privileges. Choose one above 1023 with --http.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new Error(`'${host}' is not an address of this machine. Choose another with --http.`);
  return cause;
}

function banner(
  { endpoint, listening, packPages, page, skills }: HttpServer,
  servers: number,
  { http }: Config,
  { colors, columns }: Io,
): string {
  const header = isProtected(http) ? { headers: { Authorization: 'Bearer <token>' } } : {};
  const config = JSON.stringify({ mcpServers: { footbridge: { type: 'http', url: endpoint, ...header } } }, undefined, 2);
  const flag = isProtected(http) ? ' --header "Authorization: Bearer <token>"' : '';
  const unnamed = /\/\/(0\.0\.0\.0|\[::\]):/.test(endpoint) ? '\nSet http.publicUrl to the address that hosts use.' : '';
  const behind = endpoint.startsWith(`${listening}/`) ? '' : `\nListening on ${listening}`;
  const others = packPages.map(({ title, url }) => `\n${title}: ${colors.cyan(url)}`).join('');
  return `${colors.bold('Footbridge')} serves ${served(skills, servers)} at ${colors.cyan(endpoint)}
Catalog page: ${colors.cyan(page)}${others}${behind}${unnamed}

Paste into a host's MCP configuration:
${config}

Claude Code:
${commandText('  ', `claude mcp add --transport http footbridge ${endpoint}${flag}`, columns)}
Inspector:
${commandText('  ', `npx @modelcontextprotocol/inspector@2 --cli ${endpoint} --transport http --method tools/list${flag}`, columns)}

Stop with Ctrl-C.`;
}
