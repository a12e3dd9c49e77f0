/** `footbridge lint`: checks skills. */
import { type Command, Option } from 'commander';
import type { Exit } from '../arguments.js';
import type { Io } from '../io.js';

const EXAMPLES = `
Examples:
  $ footbridge lint
  $ footbridge lint ./team-skills --fix
  $ footbridge lint --format github             annotations in a GitHub workflow
  $ footbridge lint --format sarif > lint.sarif    for code scanning

--fix adds missing quotes to values, and names a skill after its folder. Exit code 1 if an error is left.`;

export function addLint(program: Command, io: Io, exit: Exit): void {
  program
    .command('lint')
    .description('check skills against the Agent Skills standard; exit code 1 on errors')
    .argument('[dirs...]', 'folders to check instead of the configured ones')
    .option('--fix', 'fix what needs no decision, such as missing quotes')
    .addOption(new Option('--format <format>', 'how to print the findings').choices(['text', 'json', 'github', 'sarif']).default('text'))
    .option('--json', 'print JSON, as --format json')
    .addHelpText('after', EXAMPLES)
    .action(async (dirs: string[], _own, command: Command) =>
      exit(await (await import('../lint/index.js')).lint(dirs, command.optsWithGlobals(), io)),
    );
}
