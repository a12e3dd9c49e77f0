/** The command line: its commands and options, of which each command's code is loaded when it runs. */
import { Command, CommanderError, Option } from 'commander';
import { nearest } from '../../catalog/near.js';
import { LOG_LEVELS } from '../../log.js';
import { VERSION } from '../../version.js';
import { runStdio } from '../commands/serve.js';
import type { Io } from '../io.js';
import { type CommonOptions, DEFAULT_LOG_LEVEL } from '../options.js';
import { type Exit, given, several } from './arguments.js';
import { addAuthoring } from './authoring.js';
import { addChecking } from './checking.js';
import { addCompletion } from './completion.js';
import { addDoctor } from './doctor.js';
import { addHosts } from './hosts.js';
import { addLock } from './lock.js';
import { addReading } from './reading.js';
import { addServing } from './serving.js';

const WELCOME = `Footbridge ${VERSION}: every skill and every resource, in every MCP host.

This command is started by an MCP host, which talks to it over stdin and stdout.
To put it into the hosts that are here, with a look at the change first:

  footbridge install

At a terminal you can also:
  footbridge init NAME                write a skill
  footbridge list                     see what a host will see
  footbridge doctor                   find out why something is not seen
  footbridge wrap -- COMMAND          give a host all that an MCP server has, as tools too
  footbridge serve --http 3333        serve over HTTP on this machine
  footbridge --help                   everything else`;

const EXAMPLES = `
Examples:
  $ footbridge install                        put it into the hosts that are here; uninstall takes it back
  $ footbridge doctor                         find out why something is not seen
  $ footbridge --skills ./team-skills         serve the standard folders and this one, over stdio
  $ footbridge serve --http 3333              serve over HTTP at http://127.0.0.1:3333/mcp
  $ footbridge wrap -- npx -y some-server     serve an MCP server, its resources and prompts as tools too
  $ footbridge --pack @footbridge/engage      serve what a package brings, too
  $ footbridge init pdf-forms                 make a skill
  $ footbridge dev .agents/skills/pdf-forms   serve it, and see each call as it comes
  $ footbridge lint ./team-skills             problems and token costs
  $ footbridge list --json                    all skills, for scripts
  $ footbridge show pdf                       one skill: its files and its instructions
  $ footbridge read skill://pdf/SKILL.md      one file, byte for byte
  $ footbridge search "fill in a form"        skills by words
  $ footbridge lock                           write down what is served; verify finds what changed since
  $ footbridge surface -- node server.js      what any MCP server offers, to compare versions
  $ footbridge token build-agent              a token for somebody who connects over HTTP
  $ footbridge completion bash                completion for a shell

Skills are looked for in ./.agent/skills, ./.agents/skills, ~/.agent/skills, ~/.agents/skills,
./.claude/skills, ~/.claude/skills, then in each folder that footbridge.json
or --skills DIR names. The first of a name is served.`;

/** Runs a command line; resolves with the exit code. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = createProgram(argv, io, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has written what is wrong, or the help that was asked for.
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
    .helpCommand('help [command]', 'show the help of a command')
    .allowExcessArguments(false)
    .showHelpAfterError('Add --help to see how it is used.')
    .showSuggestionAfterError()
    .action(async (options: CommonOptions, command: Command) => {
      const [unknown] = command.args;
      if (unknown !== undefined) return refuseCommand(program, unknown, io);
      return io.stdin.isTTY === true ? io.print(WELCOME) : runStdio(options, io);
    });

  addHosts(program, io, exit);
  addDoctor(program, io, exit);
  addServing(program, argv, io, exit, WELCOME);
  addReading(program, io, exit);
  addAuthoring(program, io, exit);
  addChecking(program, io, exit);
  addLock(program, io, exit);
  addCompletion(program, io, exit);
  // After the others, to which it would be handed down: a word too many is a mistake there, as in `install cursor`.
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
