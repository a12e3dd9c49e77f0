/** `list`, `search`, `show` and `read`. */
import type { Command } from 'commander';
import type { Exit } from '../arguments.js';
import type { Io } from '../io.js';

const actions = () => import('../catalog-commands.js');

export function addCatalog(program: Command, io: Io, exit: Exit): void {
  program
    .command('list')
    .description('list the served skills')
    .option('--long', 'show full descriptions, URIs and origins')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ footbridge list\n  $ footbridge list --long\n  $ footbridge list --json | jq -r ".skills[].uri"',
    )
    .action(async (_own, command: Command) => exit(await (await actions()).list(command.optsWithGlobals(), io)));

  program
    .command('show')
    .description('show the location, files and instructions of a skill')
    .argument('<name>', 'name of the skill, case-insensitive; office:pdf for one in a subfolder')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge show pdf\n  $ footbridge show office:pdf --json')
    .action(async (name: string, _own, command: Command) => exit(await (await actions()).show(name, command.optsWithGlobals(), io)));

  program
    .command('read')
    .description('write the content of a URI to stdout')
    .argument('<uri>', 'such as skill://pdf/SKILL.md')
    .option('--json', 'print JSON: the contents as resources/read returns them')
    .addHelpText(
      'after',
      '\nExamples:\n  $ footbridge read skill://pdf/SKILL.md\n  $ footbridge read skill://pdf/assets/logo.png > logo.png',
    )
    .action(async (uri: string, _own, command: Command) => exit(await (await actions()).read(uri, command.optsWithGlobals(), io)));

  program
    .command('search')
    .description('search skills and resources by what they are for, and show the best ten')
    .argument('<words...>')
    .option('--long', 'show full descriptions, URIs and origins')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge search pdf form\n  $ footbridge search "release notes" --json')
    .action(async (words: string[], _own, command: Command) => exit(await (await actions()).search(words, command.optsWithGlobals(), io)));
}
