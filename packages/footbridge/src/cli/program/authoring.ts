/** The commands for whoever writes skills: `init` and `dev`. */
import { Argument, type Command, Option } from 'commander';
import type { DevOptions } from '../commands/dev.js';
import type { InitOptions } from '../commands/init.js';
import type { Io } from '../io.js';
import { type Exit, given, httpAddress } from './arguments.js';

const INIT_EXAMPLES = `
Examples:
  $ footbridge init pdf-forms                     in ./.agents/skills
  $ footbridge init pdf-forms --global            in ~/.agents/skills, for all projects
  $ footbridge init ./team-skills/pdf-forms       in another folder
  $ footbridge init pdf-forms --description "Fills in PDF forms. Use when somebody has a form to fill in."`;

const DEV_EXAMPLES = `
Examples:
  $ footbridge dev .agents/skills/pdf-forms       one skill at http://127.0.0.1:3333/mcp
  $ footbridge dev ./team-skills --http 4000      all skills of a folder, on another port
  $ footbridge dev ./team-skills --json           one JSON object per line

Only DIR is served, and only to this machine. Calls are shown with their arguments, changes with their token costs.`;

/** Adds `init` and `dev`. */
export function addAuthoring(program: Command, io: Io, exit: Exit): void {
  program
    .command('init')
    .description('create a skill')
    .addArgument(
      new Argument('<skill>', 'the name, such as pdf-forms, or a path that ends with it').argParser((name: string) => given(name)),
    )
    .option('--description <text>', 'what the skill does and when to use it')
    .option('--global', 'create it in ~/.agents/skills, for all projects')
    .option('--json', 'print JSON')
    .addHelpText('after', INIT_EXAMPLES)
    .action(async (skill: string, _own, command: Command) =>
      exit(await (await import('../commands/init.js')).init(skill, command.optsWithGlobals<InitOptions>(), io)),
    );

  program
    .command('dev')
    .description('serve skills during development, and show each call and change')
    .addArgument(new Argument('<dir>', 'the folder of a skill, or one that contains skills').argParser((folder: string) => given(folder)))
    .addOption(new Option('--http <address>', '[HOST:]PORT to listen on; default: 3333, or the next free port').argParser(httpAddress))
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', DEV_EXAMPLES)
    .action(async (folder: string, _own, command: Command) => {
      refuseOthers(command);
      exit(await (await import('../commands/dev.js')).dev(folder, command.optsWithGlobals<DevOptions>(), io));
    });
}

/** An option that would do nothing is a mistake. */
function refuseOthers(command: Command): void {
  const useless = ['skills', 'pack', 'config'].find((name) => command.getOptionValueSourceWithGlobals(name) === 'cli');
  if (useless !== undefined) command.error(`error: dev serves only DIR: remove --${useless}`);
}
