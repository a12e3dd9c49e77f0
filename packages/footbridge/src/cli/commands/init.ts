/** `footbridge init`: creates a skill. */
import { Argument, type Command } from 'commander';
import { type Exit, given } from '../arguments.js';
import type { InitOptions } from '../init.js';
import type { Io } from '../io.js';

const EXAMPLES = `
Examples:
  $ footbridge init pdf-forms                     in ./.agents/skills
  $ footbridge init pdf-forms --global            in ~/.agents/skills, for all projects
  $ footbridge init ./team-skills/pdf-forms       in another folder
  $ footbridge init pdf-forms --description "Fills in forms. Use when a form has to be filled."`;

export function addInit(program: Command, io: Io, exit: Exit): void {
  program
    .command('init')
    .description('create a skill')
    .addArgument(new Argument('<skill>', 'the name, such as pdf-forms, or a path that ends with it').argParser(given))
    .option('--description <text>', 'what the skill does and when to use it')
    .option('--global', 'create it in ~/.agents/skills, for all projects')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (skill: string, _own, command: Command) =>
      exit(await (await import('../init.js')).init(skill, command.optsWithGlobals<InitOptions>(), io)),
    );
}
