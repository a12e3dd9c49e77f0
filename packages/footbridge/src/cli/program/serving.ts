/** The commands that serve: `serve` and `wrap`, and `token` for those who connect. */
import { Argument, type Command, Option } from 'commander';
import type { LogLevel } from '../../log.js';
import { runStdio } from '../commands/serve.js';
import type { Address } from '../commands/serve-http.js';
import type { TokenOptions } from '../commands/token.js';
import type { WrapCommandOptions } from '../commands/wrap.js';
import type { Io } from '../io.js';
import type { CommonOptions } from '../options.js';
import { ISOLATIONS } from '../wrapped-server.js';
import { type Exit, given, httpAddress, several } from './arguments.js';

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

/** Adds `serve`, `wrap` and `token`. `welcome` is what is said at a terminal, where no host listens. */
export function addServing(program: Command, argv: readonly string[], io: Io, exit: Exit, welcome: string): void {
  withHttpOptions(program.command('serve'))
    .description('serve over stdio or HTTP')
    .addHelpText('after', SERVE_EXAMPLES)
    .action(async (own: { http?: Address }, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions>();
      if (own.http === undefined) {
        refuseHttpOptions(command);
        return io.stdin.isTTY === true ? io.print(welcome) : runStdio(options, io);
      }
      return (await import('../commands/serve-http.js')).runHttp({ ...options, http: own.http, logLevel: httpLogLevel(command) }, io);
    });

  withHttpOptions(program.command('wrap'))
    .description('serve one MCP server unchanged, its resources, prompts and skills also as tools')
    .argument('<server...>', 'URL, or -- and the command that starts the server')
    .addOption(
      new Option('--env <name=value>', 'a variable for the server; NAME alone passes on the current value (repeatable)')
        .default([], 'none')
        .argParser(several),
    )
    .addOption(
      new Option('--header <header>', `an HTTP header as "Name: value"; \${NAME} expands variables (repeatable)`)
        .default([], 'none')
        .argParser(several),
    )
    .addOption(
      new Option('--header-env <name=variable>', 'an HTTP header with the value of a variable (repeatable)')
        .default([], 'none')
        .argParser(several),
    )
    .addOption(new Option('--cwd <dir>', 'working folder of the server').argParser((folder: string) => given(folder)))
    .addOption(new Option('--isolation <kind>', 'whether HTTP callers share the server or have one each').choices([...ISOLATIONS]))
    .addHelpText('after', WRAP_EXAMPLES)
    .showHelpAfterError('Usage: footbridge wrap [options] -- COMMAND ARGS. See footbridge wrap --help')
    .action(async (server: string[], own: { http?: Address }, command: Command) => {
      const options = command.optsWithGlobals<WrapCommandOptions>();
      if (own.http === undefined) refuseHttpOptions(command);
      const logLevel = own.http === undefined ? options.logLevel : httpLogLevel(command);
      return (await import('../commands/wrap.js')).wrap(server, { ...options, logLevel }, argv, io);
    });

  program
    .command('token')
    .description('create a token for a caller over HTTP, and its entry for footbridge.json')
    .addArgument(new Argument('<name>', 'name of the holder').argParser((name: string) => given(name)))
    .addOption(new Option('--role <role>', 'a role of the holder, such as admin (repeatable)').default([], 'none').argParser(several))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge token build-agent\n  $ footbridge token ops --role admin --role reader --json')
    .action(async (name: string, own: TokenOptions) => exit((await import('../commands/token.js')).token(name, own, io)));
}

/** What serving over HTTP takes. */
function withHttpOptions(command: Command): Command {
  return command
    .addOption(new Option('--http <address>', '[HOST:]PORT to listen on; default host: 127.0.0.1').argParser(httpAddress))
    .addOption(new Option('--redis <url>', 'Redis or Valkey that replicas share, such as redis://127.0.0.1:6379').env('FOOTBRIDGE_REDIS'))
    .option('--insecure', 'allow other machines without authentication')
    .addOption(
      new Option('--log-format <format>', 'log format of --http; default: text at a terminal, otherwise json').choices(['text', 'json']),
    );
}

/** Whoever runs a server for others wants to see who comes. */
function httpLogLevel(command: Command): LogLevel {
  return command.getOptionValueSourceWithGlobals('logLevel') === 'default' ? 'info' : command.optsWithGlobals<CommonOptions>().logLevel;
}

/** An option that would do nothing is a mistake. */
function refuseHttpOptions(command: Command): void {
  const useless = ['redis', 'insecure', 'logFormat'].find((name) => command.getOptionValueSource(name) === 'cli');
  if (useless !== undefined) command.error(`error: --${useless === 'logFormat' ? 'log-format' : useless} requires --http`);
}
