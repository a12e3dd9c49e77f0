/** The commands that show what there is: `list`, `show`, `read` and `search`. */
import type { Command } from 'commander';
import type { Io } from '../io.js';
import type { Exit } from './arguments.js';

/** Adds `list`, `show`, `read` and `search`. */
export function addReading(program: Command, io: Io, exit: Exit): void {
  program
    .command('list')
    .description('list the served skills')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge list\n  $ footbridge list --json | jq -r ".skills[].uri"')
    .action(async (_own, command: Command) => exit(await (await import('../commands/catalog.js')).list(command.optsWithGlobals(), io)));

  program
    .command('show')
    .description('show the location, files and instructions of a skill')
    .argument('<name>', 'name of the skill, case-insensitive; office:pdf for one in a subfolder')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge show pdf\n  $ footbridge show office:pdf --json')
    .action(async (name: string, _own, command: Command) =>
      exit(await (await import('../commands/catalog.js')).show(name, command.optsWithGlobals(), io)),
    );

  program
    .command('read')
    .description('write the content of a URI to stdout')
    .argument('<uri>', 'such as skill://pdf/SKILL.md')
    .addHelpText(
      'after',
      '\nExamples:\n  $ footbridge read skill://pdf/SKILL.md\n  $ footbridge read skill://pdf/assets/logo.png > logo.png',
    )
    .action(async (uri: string, _own, command: Command) =>
      exit(await (await import('../commands/catalog.js')).read(uri, command.optsWithGlobals(), io)),
    );

  program
    .command('search')
    .description('search skills by name and description')
    .argument('<words...>')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge search pdf form\n  $ footbridge search "release notes" --json')
    .action(async (words: string[], _own, command: Command) =>
      exit(await (await import('../commands/catalog.js')).search(words, command.optsWithGlobals(), io)),
    );
}
