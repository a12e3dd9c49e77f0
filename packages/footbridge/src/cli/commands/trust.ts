/** `footbridge trust`: lets what a project's files name run. */
import { Argument, type Command } from 'commander';
import { type Exit, given } from '../arguments.js';
import type { Io } from '../io.js';

const EXAMPLES = `
Examples:
  $ footbridge trust                  show what ./footbridge.json would run, and ask
  $ footbridge trust ../app --yes     without asking
  $ footbridge trust --list           list the trusted folders
  $ footbridge trust --remove         no longer trust this one

Until then its skills are served, and its servers and packs are not started. Trust ends when footbridge.json changes, or
a file of the project that it runs. A file that --config names is used without it.
Exit codes: 0 trusted, or nothing needs trust; 1 not trusted.`;

export function addTrust(program: Command, io: Io, exit: Exit): void {
  program
    .command('trust')
    .description('let the servers and packs of a project run, after review; exit code 1 if it is not trusted')
    .addArgument(new Argument('[dir]', 'the folder of footbridge.json').default('.').argParser(given))
    .option('--yes', 'trust without asking')
    .option('--list', 'list the trusted folders')
    .option('--remove', 'no longer trust the folder')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (folder: string, _own, command: Command) =>
      exit(await (await import('../trust/index.js')).trust(folder, command.optsWithGlobals(), io)),
    );
}
