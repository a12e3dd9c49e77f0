/** The command `doctor`. */
import { type Command, Option } from 'commander';
import type { Io } from '../io.js';
import { type Exit, httpAddress, seconds, several } from './arguments.js';

const EXAMPLES = `
Examples:
  $ footbridge doctor
  $ footbridge doctor --json | jq '.findings[] | select(.severity == "error")'
  $ footbridge doctor --host claude-code --host cursor
  $ footbridge doctor --http 3333

Nothing is changed: servers and hosts' entries are started as they would be, and ended again.
Exit codes: 0 all works, 1 something does not.`;

/** Adds `doctor`. */
export function addDoctor(program: Command, io: Io, exit: Exit): void {
  program
    .command('doctor')
    .description('find out why something is not seen: hosts, folders, servers, packs; exit 1 on errors')
    .option('--json', 'print JSON')
    .addOption(
      new Option('--host <name>', 'a host to look at, such as claude-code; without it all that are here (repeatable)')
        .default([], 'all')
        .argParser(several),
    )
    .addOption(new Option('--http <address>', '[HOST:]PORT at which serve --http is to listen').argParser(httpAddress))
    .addOption(new Option('--timeout <seconds>', 'how long each answer of what a host starts may take').default(30).argParser(seconds))
    .addHelpText('after', EXAMPLES)
    .action(async (_own, command: Command) => exit(await (await import('../commands/doctor.js')).doctor(command.optsWithGlobals(), io)));
}
