/** The commands that hold what is served against what was: `lock` and `verify`. */
import type { Command } from 'commander';
import type { Io } from '../io.js';
import { type Exit, failWith } from './arguments.js';

const LOCK_EXAMPLES = `
Examples:
  $ footbridge lock                  write footbridge.lock beside footbridge.json, or into the working folder
  $ footbridge lock --project        without the skills in your home folder, to share it in a repository
  $ footbridge verify                what differs since

With "locked": true in footbridge.json, a skill that differs is withheld until it is locked again.`;

const VERIFY_EXAMPLES = `
Examples:
  $ footbridge verify
  $ footbridge verify --json | jq -r '.drift[]?.uri'

Exit codes: 0 all is as it was locked, 1 something differs, 2 it could not be found out.`;

/** Adds `lock` and `verify`. */
export function addLock(program: Command, io: Io, exit: Exit): void {
  program
    .command('lock')
    .description('write down the digest of every skill file and of all that servers and packs list, in footbridge.lock')
    .option('--project', 'leave out the skills that do not lie in the project')
    .option('--json', 'print JSON')
    .addHelpText('after', LOCK_EXAMPLES)
    .action(async (_own, command: Command) => exit(await (await import('../commands/lock.js')).lock(command.optsWithGlobals(), io)));

  program
    .command('verify')
    .description('compare what is served with footbridge.lock; exit 1 when something differs')
    .option('--json', 'print JSON')
    .addHelpText('after', VERIFY_EXAMPLES)
    // A mistake in the command line must not look like a difference.
    .exitOverride(failWith(2))
    .action(async (_own, command: Command) => exit(await (await import('../commands/verify.js')).verify(command.optsWithGlobals(), io)));
}
