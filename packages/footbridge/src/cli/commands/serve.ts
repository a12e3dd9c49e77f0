/** `footbridge serve` and `footbridge wrap`. */
import { type Command, Option } from 'commander';
import type { LogLevel } from '../../log.js';
import { type Exit, given, httpAddress, repeatable } from '../arguments.js';
import { fittedHelp } from '../help.js';
import type { Io } from '../io.js';
import type { CommonOptions } from '../options.js';
import type { Address, HttpCommandOptions } from '../serve-http.js';
import { ISOLATIONS, TOOL_SEARCHES, type WrapOptions, wrappedServer } from '../wrapped-server.js';
import { addToken } from './token.js';

const SERVE_EXAMPLES = `
Examples:
  $ footbridge serve                                          over stdio, the default
  $ footbridge serve --http 3333 --skills ./team-skills       at http://127.0.0.1:3333/mcp, for this machine only
  $ footbridge serve --http 0.0.0.0:3333                      for other machines, with authentication as in footbridge.json
  $ footbridge serve --http 0.0.0.0:3333 --redis redis://redis:6379

"http" in footbridge.json defines who may connect and what they see; footbridge token creates an entry.
Endpoints: /mcp for all protocol revisions, /sse for 2024-11-05, / for the catalog page, /healthz, /readyz and /metrics.`;

const WRAP_EXAMPLES = `
Examples:
  $ footbridge wrap -- npx -y @modelcontextprotocol/server-everything
  $ footbridge wrap --env API_KEY --cwd ./data -- node server.js --verbose
  $ footbridge wrap --header 'Authorization: Bearer \${TOKEN}' https://example.org/mcp
  $ footbridge wrap --http 3333 -- npx -y @modelcontextprotocol/server-memory

Everything the server offers is passed through unchanged, and the tools of Footbridge are added.
The server inherits only a few safe variables, such as PATH and HOME, and those of --env.
Skills and a configuration are used only with --skills and --config.`;

/** `welcome` is printed at a terminal, where no host is connected. */
export function addServing(program: Command, argv: readonly string[], io: Io, exit: Exit, welcome: string): void {
  withHttpOptions(program.command('serve'))
    .description('serve over stdio or HTTP')
    .addHelpText('after', SERVE_EXAMPLES)
    .action(async (own: { http?: Address }, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions>();
      if (own.http === undefined) {
        refuseHttpOptions(command);
        if (io.stdin.isTTY === true) return io.printExactly(fittedHelp(welcome, io.columns));
        return (await import('../serve-stdio.js')).runStdio(options, io);
      }
      return (await import('../serve-http.js')).runHttp({ ...options, http: own.http, logLevel: httpLogLevel(command) }, io);
    });

  withHttpOptions(program.command('wrap'))
    .description('serve an MCP server unchanged, with tools for its resources, prompts and skills')
    .argument('<server...>', 'URL, or -- and the command that starts the server')
    .addOption(repeatable('--env <name=value>', 'a variable for the server; NAME alone passes on the current value (repeatable)'))
    .addOption(repeatable('--header <header>', `an HTTP header as "Name: value"; \${NAME} expands variables (repeatable)`))
    .addOption(repeatable('--header-env <name=variable>', 'an HTTP header with the value of a variable (repeatable)'))
    .addOption(new Option('--cwd <dir>', 'working folder of the server').argParser(given))
    .addOption(new Option('--isolation <kind>', 'whether HTTP callers share the server or have one each').choices([...ISOLATIONS]))
    .addOption(new Option('--tool-search <mode>', 'whether hosts search for its tools instead of listing them').choices([...TOOL_SEARCHES]))
    .addHelpText('after', WRAP_EXAMPLES)
    .showHelpAfterError('Usage: footbridge wrap [options] -- COMMAND ARGS. See footbridge wrap --help')
    .action(async (server: string[], own: { http?: Address }, command: Command) => {
      const options = command.optsWithGlobals<WrapCommandOptions>();
      if (own.http === undefined) refuseHttpOptions(command);
      const logLevel = own.http === undefined ? options.logLevel : httpLogLevel(command);
      return wrap(server, { ...options, logLevel }, argv, io);
    });

  addToken(program, io, exit);
}

function withHttpOptions(command: Command): Command {
  return command
    .addOption(new Option('--http <address>', '[HOST:]PORT to listen on; default host: 127.0.0.1').argParser(httpAddress))
    .addOption(new Option('--redis <url>', 'Redis or Valkey that replicas share, such as redis://127.0.0.1:6379').env('FOOTBRIDGE_REDIS'))
    .option('--insecure', 'let other machines connect without authentication')
    .addOption(
      new Option('--log-format <format>', 'log format of --http; default: text at a terminal, otherwise json').choices(['text', 'json']),
    );
}

/** HTTP servers log requests by default. */
function httpLogLevel(command: Command): LogLevel {
  return command.getOptionValueSourceWithGlobals('logLevel') === 'default' ? 'info' : command.optsWithGlobals<CommonOptions>().logLevel;
}

function refuseHttpOptions(command: Command): void {
  const useless = ['redis', 'insecure', 'logFormat'].find((name) => command.getOptionValueSource(name) === 'cli');
  if (useless !== undefined) command.error(`error: --${useless === 'logFormat' ? 'log-format' : useless} requires --http`);
}

type WrapCommandOptions = CommonOptions & WrapOptions & (Omit<HttpCommandOptions, 'http'> & Partial<Pick<HttpCommandOptions, 'http'>>);

/** Throws if the words or the options are invalid. */
export async function wrap(words: readonly string[], options: WrapCommandOptions, argv: readonly string[], io: Io): Promise<void> {
  const outcome = wrappedServer(words, options, io);
  if (!outcome.ok) throw new Error(outcome.problem);
  const { http } = options;
  const all = { ...options, wrapped: outcome.wrapped };
  if (http !== undefined) return (await import('../serve-http.js')).runHttp({ ...all, http }, io);
  if (io.stdin.isTTY === true) return explain(outcome.wrapped.name, argv, io);
  return (await import('../serve-stdio.js')).runStdio(all, io);
}

function explain(name: string, argv: readonly string[], io: Io): void {
  const entry = { command: 'npx', args: ['-y', 'footbridge', ...argv] };
  io.print("MCP hosts start this command and communicate with it over stdin and stdout. Add this to the host's configuration:\n");
  io.printJson({ mcpServers: { [name]: entry } });
  io.print('\nAt a terminal, footbridge surface -- COMMAND shows what a server offers, and --http 3333 serves it over HTTP.');
}
