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
  $ footbridge serve                                          over stdio, as without a command
  $ footbridge serve --http 3333 --skills ./team-skills       at http://127.0.0.1:3333/mcp, for this machine
  $ footbridge serve --http 0.0.0.0:3333                      for others too, who sign in as footbridge.json says
  $ footbridge serve --http 0.0.0.0:3333 --redis redis://redis:6379

Who may connect and what they see is under http in footbridge.json; footbridge token makes an entry.
/mcp is for hosts of every revision, /sse for those of 2024, / for people, /healthz, /readyz and /metrics for machines.`;

const WRAP_EXAMPLES = `
Examples:
  $ footbridge wrap -- npx -y @modelcontextprotocol/server-everything
  $ footbridge wrap --env API_KEY --cwd ./data -- node server.js --verbose
  $ footbridge wrap --header 'Authorization: Bearer \${TOKEN}' https://example.org/mcp
  $ footbridge wrap --http 3333 -- npx -y @modelcontextprotocol/server-memory

All that the server has passes unchanged, and our tools are added. What comes after -- belongs to the command.
The server gets no variable of ours but a safe few, such as PATH and HOME, and what --env names.
Skills are served besides where --skills names them; a configuration counts where --config names it.`;

/** Adds `serve`, `wrap` and `token`. `welcome` is what is said at a terminal, where no host listens. */
export function addServing(program: Command, argv: readonly string[], io: Io, exit: Exit, welcome: string): void {
  withHttpOptions(program.command('serve'))
    .description('serve over stdio, or a team over HTTP')
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
    .description('serve one MCP server as it is, with its resources, prompts and skills as tools too')
    .argument('<server...>', 'URL, or -- and the command that starts the server')
    .addOption(
      new Option('--env <name=value>', 'a variable for the server; NAME alone hands ours on (repeatable)')
        .default([], 'none')
        .argParser(several),
    )
    .addOption(
      new Option('--header <header>', `a header for the URL, as "Name: value", in which \${NAME} is a variable (repeatable)`)
        .default([], 'none')
        .argParser(several),
    )
    .addOption(
      new Option('--header-env <name=variable>', 'a header for the URL whose value is in a variable of ours (repeatable)')
        .default([], 'none')
        .argParser(several),
    )
    .addOption(new Option('--cwd <dir>', 'the working folder of the server').argParser((folder: string) => given(folder)))
    .addOption(new Option('--isolation <kind>', 'whether callers over HTTP share the server, or each has one').choices([...ISOLATIONS]))
    .addHelpText('after', WRAP_EXAMPLES)
    .showHelpAfterError('The command goes after --: footbridge wrap [options] -- COMMAND ARGS. More: footbridge wrap --help')
    .action(async (server: string[], own: { http?: Address }, command: Command) => {
      const options = command.optsWithGlobals<WrapCommandOptions>();
      if (own.http === undefined) refuseHttpOptions(command);
      const logLevel = own.http === undefined ? options.logLevel : httpLogLevel(command);
      return (await import('../commands/wrap.js')).wrap(server, { ...options, logLevel }, argv, io);
    });

  program
    .command('token')
    .description('make a token for somebody who connects over HTTP, and the entry for footbridge.json that lets them in')
    .addArgument(new Argument('<name>', 'who holds it').argParser((name: string) => given(name)))
    .addOption(
      new Option('--role <role>', 'a role of theirs; admin opens what needs admin rights (repeatable)')
        .default([], 'none')
        .argParser(several),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge token build-agent\n  $ footbridge token ops --role admin --role reader --json')
    .action(async (name: string, own: TokenOptions) => exit((await import('../commands/token.js')).token(name, own, io)));
}

/** What serving over HTTP takes. */
function withHttpOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--http <address>', '[HOST:]PORT to listen on; only for this machine unless HOST says otherwise').argParser(httpAddress),
    )
    .addOption(
      new Option('--redis <url>', 'what replicas share is in this Redis or Valkey, such as redis://127.0.0.1:6379').env('FOOTBRIDGE_REDIS'),
    )
    .option('--insecure', 'let everybody in who can reach the server, where nobody signs in')
    .addOption(new Option('--log-format <format>', 'of the log of --http; text at a terminal, else json').choices(['text', 'json']));
}

/** Whoever runs a server for others wants to see who comes. */
function httpLogLevel(command: Command): LogLevel {
  return command.getOptionValueSourceWithGlobals('logLevel') === 'default' ? 'info' : command.optsWithGlobals<CommonOptions>().logLevel;
}

/** An option that would do nothing is a mistake. */
function refuseHttpOptions(command: Command): void {
  const useless = ['redis', 'insecure', 'logFormat'].find((name) => command.getOptionValueSource(name) === 'cli');
  if (useless !== undefined) command.error(`error: --${useless === 'logFormat' ? 'log-format' : useless} goes with --http only`);
}
