/** `footbridge` and `footbridge serve`: to a host over stdio, or to hosts over HTTP. */
import { systemCode } from '../../errors.js';
import { serveStdio } from '../../serve/stdio.js';
import { type CommonOptions, openCatalog, sourcesOf } from '../options.js';
import { colors, plural, print } from '../terminal.js';

export async function runStdio(options: CommonOptions): Promise<void> {
  const { catalog, log } = await openCatalog(options, { watch: true });
  log.info(`serving ${plural(catalog.snapshot.skills.length, 'skill')} over stdio`);
  await serveStdio({ catalog, log, prompts: options.prompts === true });
  catalog.close();
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1']);

/** What `--http` was given, or what is wrong with it. */
export function parseAddress(value: string): { host: string; port: number } | { problem: string } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return { problem: `'${value}' is not [HOST:]PORT, such as 3333 or 127.0.0.1:3333.` };
  const host = match[1] ?? match[2] ?? '127.0.0.1';
  if (!LOOPBACK.has(host))
    return {
      problem: `'${host}' is reachable from other machines; without authentication only 127.0.0.1, localhost and [::1] are served.`,
    };
  return { host, port };
}

export async function runHttp(options: CommonOptions, address: { host: string; port: number }): Promise<void> {
  const [{ serveHttp }, { createRequestLog }] = await Promise.all([
    import('../../serve/http/index.js'),
    import('../../serve/telemetry/request-log.js'),
  ]);
  const log = createRequestLog(options.logLevel);
  const sources = sourcesOf(options, { watch: true, log });
  const server = await serveHttp({ sources, log, prompts: options.prompts === true, ...address }).catch((cause: unknown) => {
    if (systemCode(cause) !== 'EADDRINUSE') throw cause;
    throw new Error(`Port ${address.port} is taken by another program. Choose another with --http, or end that program.`);
  });
  print(banner(server.endpoint, server.skills));
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await server.close();
}

function banner(endpoint: string, skills: number): string {
  const config = JSON.stringify({ mcpServers: { footbridge: { type: 'http', url: endpoint } } }, undefined, 2);
  return `${colors.bold('Footbridge')} serves ${plural(skills, 'skill')} at ${colors.cyan(endpoint)}

Paste into a host's MCP configuration:
${config}

Claude Code:  claude mcp add --transport http footbridge ${endpoint}
Inspector:    npx @modelcontextprotocol/inspector@2 --cli ${endpoint} --transport http --method tools/list

Stop with Ctrl-C.`;
}
