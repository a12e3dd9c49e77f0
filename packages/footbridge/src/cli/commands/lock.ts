/** `footbridge lock` and `footbridge verify`. */
import type { Command } from 'commander';
import { type Exit, failWith } from '../arguments.js';
import type { Io } from '../io.js';

const LOCK_EXAMPLES = `
Examples:
  $ footbridge lock                  write footbridge.lock next to footbridge.json, or to the working folder
  $ footbridge lock --project        without the skills of your home folder, for a shared repository
  $ footbridge verify                show what has changed since

With "locked": true in footbridge.json, skills that differ are not served until they are locked again.`;

const VERIFY_EXAMPLES = `
Examples:
  $ footbridge verify
  $ footbridge verify --json | jq -r '.drift[]?.uri'

Exit codes: 0 no differences, 1 differences, 2 failure.`;

export function addLock(program: Command, io: Io, exit: Exit): void {
  program
    .command('lock')
    .description('record the digests of all skill files, and of what servers and packs list, in footbridge.lock')
    .option('--project', 'leave out skills outside the project')
    .option('--json', 'print JSON')
    .addHelpText('after', LOCK_EXAMPLES)
    .action(async (_own, command: Command) => exit(await (await import('../lock/index.js')).lock(command.optsWithGlobals(), io)));

  program
    .command('verify')
    .description('compare what is served with footbridge.lock; exit code 1 on differences')
    .option('--json', 'print JSON')
    .addHelpText('after', VERIFY_EXAMPLES)
    // A mistake in the command line must not look like a difference.
    .exitOverride(failWith(2))
    .action(async (_own, command: Command) => exit(await (await import('../lock/index.js')).verify(command.optsWithGlobals(), io)));
}
