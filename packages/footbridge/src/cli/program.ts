/** The command line. The code of most commands is loaded when they run. */
import { Command, CommanderError, Option } from 'commander';
import { nearest } from '../catalog/near.js';
import { LOG_LEVELS } from '../log.js';
import { VERSION } from '../version.js';
import { type Exit, given, repeatable } from './arguments.js';
import { addCatalog } from './commands/catalog.js';
import { addCompletion } from './commands/completion.js';
import { addDev } from './commands/dev.js';
import { addDoctor } from './commands/doctor.js';
import { addInit } from './commands/init.js';
import { addInstall } from './commands/install.js';
import { addLint } from './commands/lint.js';
import { addLock } from './commands/lock.js';
import { addLogin } from './commands/login.js';
import { addServing } from './commands/serve.js';
import { addSurface } from './commands/surface.js';
import { addSync } from './commands/sync.js';
import { addTrust } from './commands/trust.js';
import type { Io } from './io.js';
import { type CommonOptions, DEFAULT_LOG_LEVEL } from './options.js';
import { runStdio } from './serve-stdio.js';

const WELCOME = `Footbridge ${VERSION}: every skill and every resource, in every MCP host.

This command is started by an MCP host, which communicates with it over stdin and stdout.
To add it to the installed hosts, with a preview of the changes:

  footbridge install

At a terminal you can also:
  footbridge init NAME                create a skill
  footbridge list                     list the skills that hosts see
  footbridge doctor                   diagnose problems
  footbridge wrap -- COMMAND          serve an MCP server, its resources and prompts also as tools
  footbridge serve --http 3333        serve over HTTP on this machine
  footbridge --help                   show all commands`;

const EXAMPLES = `
Examples:
  $ footbridge install                        add it to the installed hosts; uninstall removes it
  $ footbridge doctor                         diagnose problems
  $ footbridge --skills ./team-skills         serve the standard folders and this one over stdio
  $ footbridge serve --http 3333              serve over HTTP at http://127.0.0.1:3333/mcp
  $ footbridge wrap -- npx -y some-server     serve an MCP server, its resources and prompts also as tools
  $ footbridge --pack @footbridge/engage      also serve the content of a package
  $ footbridge init pdf-forms                 create a skill
  $ footbridge dev .agents/skills/pdf-forms   serve it and watch each call
  $ footbridge lint ./team-skills             check skills and show token costs
  $ footbridge list --json                    list all skills as JSON
  $ footbridge show pdf                       show the files and instructions of a skill
  $ footbridge read skill://pdf/SKILL.md      print a file
  $ footbridge search "fill in a form"        search for skills
  $ footbridge sync --to claude-code          write skills into the folders that a host reads itself
  $ footbridge lock                           record what is served; verify shows what has changed
  $ footbridge trust                          let the servers and packs of this project run
  $ footbridge surface -- node server.js      show what an MCP server offers, to compare versions
  $ footbridge token build-agent              create a token for a caller over HTTP
  $ footbridge completion bash                print a completion script

Skills are searched for in ./.agent/skills, ./.agents/skills, ~/.agent/skills, ~/.agents/skills,
./.claude/skills, ~/.claude/skills, then in the folders of footbridge.json
and --skills DIR. Of skills with the same name, the first is served.`;

/** Returns the exit code. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = createProgram(argv, io, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed the error or the help.
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}

function createProgram(argv: readonly string[], io: Io, exit: Exit): Command {
  const program = new Command('footbridge')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => (io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : 80),
      getErrHelpWidth: () => (io.stderr.isTTY === true ? (io.stderr.columns ?? 80) : 80),
      getOutHasColors: () => io.stdout.isTTY === true,
      getErrHasColors: () => io.stderr.isTTY === true,
    })
    .description('Serve Agent Skills to every MCP host: as tools, as resources and through the Skills extension.')
    .version(VERSION)
    .addOption(repeatable('--skills <dir>', 'an additional skill folder, searched recursively (repeatable)'))
    .addOption(new Option('--config <file>', 'the configuration file; default: ./footbridge.json, if it exists').argParser(given))
    .addOption(repeatable('--pack <name>', 'a package that adds tools, resources and skills (repeatable)'))
    .option('--prompts', 'offer each skill also as a prompt')
    .addOption(new Option('--host-profile <name>', 'show the catalog to every host as to this one, such as claude-code').argParser(given))
    .addOption(new Option('--log-level <level>', 'log level for stderr').choices([...LOG_LEVELS]).default(DEFAULT_LOG_LEVEL))
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXAMPLES)
    .helpCommand('help [command]', 'show the help of a command')
    .allowExcessArguments(false)
    .showHelpAfterError('Run with --help for usage.')
    .showSuggestionAfterError()
    .action(async (options: CommonOptions, command: Command) => {
      const [unknown] = command.args;
      if (unknown !== undefined) return refuseCommand(program, unknown, io);
      return io.stdin.isTTY === true ? io.print(WELCOME) : runStdio(options, io);
    });

  addInstall(program, io, exit);
  addDoctor(program, io, exit);
  addServing(program, argv, io, exit, WELCOME);
  addCatalog(program, io, exit);
  addInit(program, io, exit);
  addDev(program, io, exit);
  addLint(program, io, exit);
  addSync(program, io, exit);
  addSurface(program, io, exit);
  addLock(program, io, exit);
  addLogin(program, io, exit);
  addTrust(program, io, exit);
  addCompletion(program, io, exit);
  // Last, because commands inherit it: an excess argument is an error there, as in `install cursor`.
  return program.allowExcessArguments();
}

function refuseCommand(program: Command, unknown: string, io: Io): never {
  const near = nearest(
    unknown,
    program.commands.map((command) => command.name()),
  );
  const hint = near.length === 0 ? 'See footbridge --help.' : `Did you mean ${io.colors.bold(near[0] ?? '')}?`;
  return program.error(`error: unknown command '${unknown}'\n${hint}`);
}
