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
import { addSources } from './commands/sources.js';
import { addSurface } from './commands/surface.js';
import { addSync } from './commands/sync.js';
import { addTrust } from './commands/trust.js';
import { asksForJson, CommandError, printFailure } from './failure.js';
import { applicableOptions, commandTerm, fittedHelp, helpColumns, optionText } from './help.js';
import type { Io } from './io.js';
import { type CommonOptions, DEFAULT_LOG_LEVEL } from './serving-options.js';
import { usageSentence } from './usage-error.js';

const WELCOME = `Footbridge ${VERSION}: every skill and every resource, in every MCP host.

MCP hosts start this command and communicate with it over stdin and stdout. To add it to your hosts, with a preview of the changes:

  $ footbridge install

At a terminal you can also:
  $ footbridge init NAME            create a skill
  $ footbridge list                 list the skills that hosts see
  $ footbridge doctor               diagnose problems
  $ footbridge wrap -- COMMAND      serve an MCP server with more tools
  $ footbridge serve --http 3333    serve over HTTP on this machine
  $ footbridge --help               show all commands`;

const EXAMPLES = `
Examples:
  $ footbridge init pdf-forms                create a skill
  $ footbridge add github:owner/repo         add the skills of a repository
  $ footbridge install                       add Footbridge to your hosts
  $ footbridge doctor                        find out why something is missing
  $ footbridge lint ./team-skills            check skills and their token costs
  $ footbridge wrap -- npx -y some-server    serve an MCP server with more tools
  $ footbridge serve --http 3333             serve a team over HTTP

Without a command, Footbridge serves over stdio, as MCP hosts start it. Skills are searched for in ./.agent/skills, ./.agents/skills, ~/.agent/skills, ~/.agents/skills, ./.claude/skills and ~/.claude/skills, then in the folders of footbridge.json and of --skills. Of skills with the same name, the first is served.

Run footbridge COMMAND --help for the options and examples of a command.`;

/** Returns the exit code. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = createProgram(argv, io, (result) => {
    code = result;
  });
  try {
    // Before their options, which are unknown to the program too.
    for (const name of argv[0] === 'help' ? argv.slice(1, 2) : argv.slice(0, 1))
      if (!name.startsWith('-') && !isCommand(program, name)) refuseCommand(program, name);
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed the error or the help.
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}

/** `exit` gets what a command returns. */
export function createProgram(argv: readonly string[], io: Io, exit: Exit): Command {
  const isJson = asksForJson(argv);
  const program = new Command('footbridge')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(fittedHelp(text, helpColumns(io))),
      writeErr: (text) => {
        if (!isJson) io.stderr.write(fittedHelp(text, helpColumns(io)));
      },
      outputError: (text) => {
        const [message = '', ...actions] = text
          .replace(/^error: /, '')
          .trimEnd()
          .split('\n');
        printFailure(new CommandError('usage', usageSentence(message), actions.map(usageSentence)), isJson, io);
      },
      getOutHelpWidth: () => helpColumns(io),
      getErrHelpWidth: () => helpColumns(io),
      getOutHasColors: () => io.stdout.isTTY === true,
      getErrHasColors: () => io.stderr.isTTY === true,
    })
    .description('Serve Agent Skills to every MCP host: as tools, as resources and through the Skills extension.')
    .version(VERSION)
    .addOption(repeatable('--skills <dir>', 'an additional skill folder, searched recursively (repeatable)'))
    .addOption(new Option('--config <file>', 'the configuration file; default: ./footbridge.json, if it exists').argParser(given))
    .addOption(repeatable('--pack <name>', 'a package that adds tools, resources and skills (repeatable)'))
    .option('--prompts', 'also offer each skill as a prompt')
    .addOption(new Option('--host-profile <name>', 'treat every host as this one, such as claude-code').argParser(given))
    .addOption(new Option('--log-level <level>', 'log level for stderr').choices([...LOG_LEVELS]).default(DEFAULT_LOG_LEVEL))
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: commandTerm,
      optionDescription: optionText,
      visibleGlobalOptions: applicableOptions,
      minWidthToWrap: 20,
    })
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments(false)
    .showHelpAfterError('Run with --help for usage.')
    .showSuggestionAfterError()
    .action(async (options: CommonOptions, command: Command) => {
      const [unknown] = command.args;
      if (unknown !== undefined) return refuseCommand(program, unknown);
      if (io.stdin.isTTY === true) return io.printExactly(fittedHelp(WELCOME, io.columns));
      return (await import('./serve-stdio.js')).runStdio(options, io);
    });

  program.commandsGroup('Set up:');
  addInstall(program, io, exit);
  addDoctor(program, io, exit);
  addSync(program, io, exit);
  program.commandsGroup('Serve:');
  addServing(program, argv, io, exit, WELCOME);
  program.commandsGroup('Look at what is served:');
  addCatalog(program, io, exit);
  addSurface(program, io, exit);
  program.commandsGroup('Add skills:');
  addSources(program, io, exit);
  program.commandsGroup('Write skills:');
  addInit(program, io, exit);
  addDev(program, io, exit);
  addLint(program, io, exit);
  program.commandsGroup('Verify and trust:');
  addLock(program, io, exit);
  addTrust(program, io, exit);
  program.commandsGroup('Sign in:');
  addLogin(program, io, exit);
  program.commandsGroup('More:');
  addCompletion(program, io, exit);
  program.helpCommand('help [command]', 'show the help of a command');
  // Last, because commands inherit it: an excess argument is an error there, as in `install cursor`.
  return program.allowExcessArguments();
}

function isCommand(program: Command, name: string): boolean {
  return name === 'help' || program.commands.some((command) => command.name() === name);
}

function refuseCommand(program: Command, unknown: string): never {
  const hint = commandHint(program, unknown);
  return program.showHelpAfterError(false).error(`error: Unknown command '${unknown}'${hint}\nSee all commands with: footbridge --help`);
}

/** Suggests a command. Similar programs take a URL or a folder as their first argument. */
function commandHint(program: Command, unknown: string): string {
  if (/^https?:\/\//i.test(unknown)) return '\nServe an MCP server with: footbridge wrap <url>';
  if (/^[.~]|[/\\]/.test(unknown)) return '\nServe a skill folder with: footbridge serve --skills <dir>';
  const near = nearest(
    unknown,
    program.commands.map((command) => command.name()),
  );
  return near[0] === undefined ? '' : `\nDid you mean ${near[0]}?`;
}
