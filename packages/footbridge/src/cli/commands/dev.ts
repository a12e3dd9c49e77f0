/** `footbridge dev`: serves skills during development. */
import { Argument, type Command, Option } from 'commander';
import { type Exit, given, httpAddress } from '../arguments.js';
import type { DevOptions } from '../dev/index.js';
import type { Io } from '../io.js';

const EXAMPLES = `
Examples:
  $ footbridge dev                                all skills in .agents/skills
  $ footbridge dev .agents/skills/pdf-forms       one skill at http://127.0.0.1:3333/mcp
  $ footbridge dev ./team-skills --http 4000      all skills of a folder, on another port
  $ footbridge dev ./team-skills --json           one JSON object per line

Only DIR is served, and only to this machine. Calls are shown with their arguments, changes with their token costs.`;

export function addDev(program: Command, io: Io, exit: Exit): void {
  program
    .command('dev')
    .description('serve skills during development, and show each call and change')
    .addArgument(new Argument('[dir]', "the folder of a skill, or one that contains skills; default: the project's").argParser(given))
    .addOption(new Option('--http <address>', '[HOST:]PORT to listen on; default: 3333, or the next free port').argParser(httpAddress))
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', EXAMPLES)
    .action(async (folder: string | undefined, _own, command: Command) => {
      refuseOthers(command);
      exit(await (await import('../dev/index.js')).dev(folder, command.optsWithGlobals<DevOptions>(), io));
    });
}

function refuseOthers(command: Command): void {
  const useless = ['skills', 'pack', 'config'].find((name) => command.getOptionValueSourceWithGlobals(name) === 'cli');
  if (useless !== undefined) command.error(`error: dev serves only DIR: remove --${useless}`);
}
