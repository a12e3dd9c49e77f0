/** The command `footbridge`. */
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { nearest } from '../catalog/near.js';
import { LOG_LEVELS, type LogLevel } from '../log.js';
import { VERSION } from '../version.js';
import { parseAddress } from './address.js';
import { runStdio } from './commands/serve.js';
import type { Address } from './commands/serve-http.js';
import type { TokenOptions } from './commands/token.js';
import type { WrapCommandOptions } from './commands/wrap.js';
import { type CommonOptions, DEFAULT_LOG_LEVEL } from './options.js';
import { colors, print } from './terminal.js';
import { ISOLATIONS } from './wrapped-server.js';

const WELCOME = `Footbridge ${VERSION}: every skill and every resource, in every MCP host.

This command is started by an MCP host, which talks to it over stdin and stdout.
Put this into the host's configuration:

  { "mcpServers": { "footbridge": { "command": "npx", "args": ["-y", "footbridge"] } } }

or, for Claude Code:   claude mcp add footbridge -- npx -y footbridge

At a terminal you can:
  footbridge list                     see what a host will see
  footbridge wrap -- COMMAND          give a host all that an MCP server has, as tools too
  footbridge lint                     find out why a skill is not there
  footbridge serve --http 3333        serve over HTTP on this machine
  footbridge --help                   everything else`;

const EXAMPLES = `
Examples:
  $ footbridge --skills ./team-skills         serve the standard folders and this one, over stdio
  $ footbridge serve --http 3333              serve over HTTP at http://127.0.0.1:3333/mcp
  $ footbridge wrap -- npx -y some-server     serve an MCP server, its resources and prompts as tools too
  $ footbridge --pack @footbridge/engage      serve what a package brings, too
  $ footbridge list --json                    all skills, for scripts
  $ footbridge show pdf                       one skill: its files and its instructions
  $ footbridge read skill://pdf/SKILL.md      one file, byte for byte
  $ footbridge search "fill in a form"        skills by words
  $ footbridge lint ./team-skills             problems and token costs
  $ footbridge surface -- node server.js      what any MCP server offers, to compare versions
  $ footbridge token build-agent              a token for somebody who connects over HTTP

Skills are looked for in ./.agent/skills, ./.agents/skills, ~/.agent/skills, ~/.agents/skills,
./.claude/skills, ~/.claude/skills, then in each folder that footbridge.json
or --skills DIR names. The first of a name is served.`;

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

const SURFACE_EXAMPLES = `
Examples:
  $ footbridge surface -- node server.js
  $ footbridge surface --json -- npx -y @acme/server@1 > surface.json
  $ footbridge surface --against surface.json -- npx -y @acme/server@2
  $ footbridge surface http://127.0.0.1:3333/mcp

Exit codes: 0 nothing is gone or different, 1 something is, 2 it could not be found out.`;

/** Runs the command line; resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let code = 0;
  const program = createProgram((result) => {
    code = result;
  });
  await program.parseAsync(argv, { from: 'user' });
  return code;
}

function createProgram(exit: (code: number) => void): Command {
  const program = new Command('footbridge')
    .description('Serve Agent Skills to every MCP host: as tools, as resources and through the Skills extension.')
    .version(VERSION)
    .addOption(
      new Option('--skills <dir>', 'a folder of skills besides the standard ones, searched in depth (repeatable)')
        .default([], 'none')
        .argParser(several),
    )
    .addOption(
      new Option('--config <file>', 'the configuration; without it ./footbridge.json, if there is one').argParser((file: string) =>
        given(file),
      ),
    )
    .addOption(
      new Option('--pack <name>', 'a package that brings tools, resources and skills of its own (repeatable)')
        .default([], 'none')
        .argParser(several),
    )
    .option('--prompts', 'offer each skill as a prompt too')
    .addOption(new Option('--log-level <level>', 'what to log to stderr').choices([...LOG_LEVELS]).default(DEFAULT_LOG_LEVEL))
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments()
    .showSuggestionAfterError()
    .action(async (options: CommonOptions, command: Command) => {
      const [unknown] = command.args;
      if (unknown !== undefined) return refuseCommand(program, unknown);
      if (process.stdin.isTTY === true) return print(WELCOME);
      return runStdio(options);
    });

  withHttpOptions(program.command('serve'))
    .description('serve over stdio, or a team over HTTP')
    .addHelpText('after', SERVE_EXAMPLES)
    .action(async (own: { http?: Address }, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions>();
      if (own.http === undefined) {
        refuseHttpOptions(command);
        return process.stdin.isTTY === true ? print(WELCOME) : runStdio(options);
      }
      return (await import('./commands/serve-http.js')).runHttp({ ...options, http: own.http, logLevel: httpLogLevel(command) });
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
    .addOption(new Option('--cwd <dir>', 'the working folder of the server').argParser((folder: string) => given(folder)))
    .addOption(new Option('--isolation <kind>', 'whether callers over HTTP share the server, or each has one').choices([...ISOLATIONS]))
    .addHelpText('after', WRAP_EXAMPLES)
    .showHelpAfterError('The command goes after --: footbridge wrap [options] -- COMMAND ARGS. More: footbridge wrap --help')
    .action(async (server: string[], own: { http?: Address }, command: Command) => {
      const options = command.optsWithGlobals<WrapCommandOptions>();
      if (own.http === undefined) refuseHttpOptions(command);
      const logLevel = own.http === undefined ? options.logLevel : httpLogLevel(command);
      return (await import('./commands/wrap.js')).wrap(server, { ...options, logLevel });
    });

  program
    .command('list')
    .description('list the skills that are served')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge list\n  $ footbridge list --json | jq -r ".skills[].uri"')
    .action(async (_own, command: Command) => exit(await (await import('./commands/catalog.js')).list(command.optsWithGlobals())));

  program
    .command('show')
    .description('show one skill: where it is, its files, its instructions')
    .argument('<name>', 'name of the skill, in any case; office:pdf for one in a folder')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge show pdf\n  $ footbridge show office:pdf --json')
    .action(async (name: string, _own, command: Command) =>
      exit(await (await import('./commands/catalog.js')).show(name, command.optsWithGlobals())),
    );

  program
    .command('read')
    .description('write the content of a URI to stdout, byte for byte')
    .argument('<uri>', 'such as skill://pdf/SKILL.md')
    .addHelpText(
      'after',
      '\nExamples:\n  $ footbridge read skill://pdf/SKILL.md\n  $ footbridge read skill://pdf/assets/logo.png > logo.png',
    )
    .action(async (uri: string, _own, command: Command) =>
      exit(await (await import('./commands/catalog.js')).read(uri, command.optsWithGlobals())),
    );

  program
    .command('search')
    .description('find skills by words in their names and descriptions')
    .argument('<words...>')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge search pdf form\n  $ footbridge search "release notes" --json')
    .action(async (words: string[], _own, command: Command) =>
      exit(await (await import('./commands/catalog.js')).search(words, command.optsWithGlobals())),
    );

  program
    .command('lint')
    .description('check skills against the Agent Skills standard; exit 1 on errors')
    .argument('[dirs...]', 'folders to check instead of the configured ones')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge lint\n  $ footbridge lint ./team-skills --json')
    .action(async (dirs: string[], _own, command: Command) =>
      exit(await (await import('./commands/lint.js')).lint(dirs, command.optsWithGlobals())),
    );

  program
    .command('surface')
    .description('print all that an MCP server offers, or what changed since; exit 1 when something is gone or different')
    .argument('[server...]', 'URL, or -- and a command that starts a server; without it footbridge itself')
    .option('--json', 'print JSON, the same each time')
    .option('--against <file>', 'print what differs from this, which --json printed before')
    .option('--exact', 'with --against: exit 1 for additions too')
    .addOption(new Option('--timeout <seconds>', 'how long each answer may take').default(30).argParser(seconds))
    .addHelpText('after', SURFACE_EXAMPLES)
    // A mistake in the command line must not look like a difference.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (server: string[], _own, command: Command) =>
      exit(await (await import('./commands/surface.js')).surface(server, command.optsWithGlobals())),
    );

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
    .action(async (name: string, own: TokenOptions) => exit((await import('./commands/token.js')).token(name, own)));

  return program;
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

function given(value: string): string {
  if (value === '') throw new InvalidArgumentError('The name is empty; is a variable unset?');
  return value;
}

function several(value: string, before: readonly string[]): readonly string[] {
  return [...before, given(value)];
}

function seconds(value: string): number {
  const number = Number(value);
  // Longer ones are more than a timer can hold.
  if (!(number > 0 && number <= 86_400)) throw new InvalidArgumentError('Give a number of seconds, such as 30.');
  return number;
}

function httpAddress(value: string): { host: string; port: number } {
  const address = parseAddress(value);
  if ('problem' in address) throw new InvalidArgumentError(address.problem);
  return address;
}

/** An option that would do nothing is a mistake. */
function refuseHttpOptions(command: Command): void {
  const useless = ['redis', 'insecure', 'logFormat'].find((name) => command.getOptionValueSource(name) === 'cli');
  if (useless !== undefined) command.error(`error: --${useless === 'logFormat' ? 'log-format' : useless} goes with --http only`);
}

function refuseCommand(program: Command, unknown: string): never {
  const near = nearest(
    unknown,
    program.commands.map((command) => command.name()),
  );
  const hint = near.length === 0 ? 'See footbridge --help.' : `Did you mean ${colors.bold(near[0] ?? '')}?`;
  return program.error(`error: unknown command '${unknown}'\n${hint}`);
}
