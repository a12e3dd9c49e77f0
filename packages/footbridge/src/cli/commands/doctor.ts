/** `footbridge doctor`: checks everything and reports what to fix. */
import { type Command, Option } from 'commander';
import { type Exit, httpAddress, repeatable, seconds } from '../arguments.js';
import type { Io } from '../io.js';

const EXAMPLES = `
Examples:
  $ footbridge doctor
  $ footbridge doctor --json | jq '.findings[] | select(.severity == "error")'
  $ footbridge doctor --host claude-code --host cursor
  $ footbridge doctor --http 3333

doctor changes nothing. It starts the servers and the entries of hosts, and stops them again.
Exit codes: 0 no errors, 1 errors.`;

export function addDoctor(program: Command, io: Io, exit: Exit): void {
  program
    .command('doctor')
    .description('diagnose problems with hosts, folders, servers and packs; exit code 1 on errors')
    .option('--json', 'print JSON')
    .addOption(repeatable('--host <name>', 'a host to check, such as claude-code; default: all installed hosts (repeatable)'))
    .addOption(new Option('--http <address>', 'the [HOST:]PORT that serve --http should listen on').argParser(httpAddress))
    .addOption(new Option('--timeout <seconds>', 'timeout for each answer of a started server').default(30).argParser(seconds))
    .addHelpText('after', EXAMPLES)
    .action(async (_own, command: Command) => exit(await (await import('../doctor/index.js')).doctor(command.optsWithGlobals(), io)));
}
