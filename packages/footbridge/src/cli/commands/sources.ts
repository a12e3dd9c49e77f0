/** `footbridge add`, `remove`, `outdated`, `update` and `fetch`: skills from elsewhere. */
import { type Command, Option } from 'commander';
import { type Exit, given } from '../arguments.js';
import type { Io } from '../io.js';

const ADD_EXAMPLES = `
Examples:
  $ footbridge add github:anthropics/skills             all skills of a repository
  $ footbridge add github:owner/repo/skills@v1.2        a folder of it, at a tag
  $ footbridge add npm:some-skills@^2 --skill pdf       one skill of a package
  $ footbridge add oci://example.org/skills:1.0.0       an artifact of an OCI registry
  $ footbridge add https://example.org/pdf.skill        an archive: .skill, .zip or .tgz
  $ footbridge add https://example.org                  what a site publishes
  $ footbridge add mcp:docs --global                    of a server, for all projects
  $ footbridge add github:owner/plugin --servers        a plugin with its MCP servers

add shows what it found, then asks for confirmation. It writes the source to footbridge.json, and the resolved version to footbridge.lock.
Nothing of a source is run, and servers of a plugin start only after footbridge trust. Exit code 1 if nothing was added.`;

const UPDATE_EXAMPLES = `
Examples:
  $ footbridge update --dry-run     show what would change, line by line
  $ footbridge update pdf           the source of one skill
  $ footbridge update --yes         all, without a question

At a terminal, update shows the first 400 lines and how many more there are; --full shows all. When the output is not a terminal, all are printed. A tag or a published version that has changed is refused. Exit code 1 if a source is refused, or nothing was written.`;

const FETCH_EXAMPLES = `
Examples:
  $ footbridge fetch                after cloning a project with a footbridge.lock, or in CI
  $ footbridge fetch --global       your own sources

A source whose files differ from the lock is refused, and the exit code is 1.`;

export function addSources(program: Command, io: Io, exit: Exit): void {
  withPlace(program.command('add'))
    .description('add skills from a repository, a package, an archive, a site or a server')
    .argument('<source>', 'such as github:owner/repo, npm:package or https://example.org/pdf.skill', given)
    .addOption(new Option('--skill <names...>', 'only these skills').argParser(several))
    .option('--servers', 'also show the MCP servers of its plugins, and ask whether to add them')
    .addOption(new Option('--accept <digest>', 'add the servers with this digest without asking').argParser(given))
    .option('--yes', 'write the skills without asking; for servers, always ask')
    .option('--full', 'show every line that changes in a source that is added again')
    .addHelpText('after', ADD_EXAMPLES)
    .action(async (source: string, _own, command: Command) =>
      exit(await (await import('../fetched/add.js')).add(source, command.optsWithGlobals(), io)),
    );

  withPlace(program.command('remove'))
    .description('remove a source of skills')
    .argument('<source>', 'the source, or the name of one of its skills', given)
    .addHelpText('after', '\nExamples:\n  $ footbridge remove github:owner/repo\n  $ footbridge remove pdf')
    .action(async (source: string, _own, command: Command) =>
      exit(await (await import('../fetched/add.js')).remove(source, command.optsWithGlobals(), io)),
    );

  withPlace(program.command('outdated'))
    .description('list the sources that have a newer version; exit code 1 if there are any')
    .addHelpText('after', '\nExamples:\n  $ footbridge outdated\n  $ footbridge outdated --json')
    .action(async (_own, command: Command) => exit(await (await import('../fetched/update.js')).outdated(command.optsWithGlobals(), io)));

  withPlace(program.command('update'))
    .description('show what has changed in the sources, and accept it')
    .argument('[source]', 'the source, or the name of one of its skills; default: all', given)
    .option('--dry-run', 'show the changes without writing them')
    .option('--yes', 'write without asking')
    .option('--full', 'show every line that changes; with --json, too')
    .addHelpText('after', UPDATE_EXAMPLES)
    .action(async (source: string | undefined, _own, command: Command) =>
      exit(await (await import('../fetched/update.js')).update(source, command.optsWithGlobals(), io)),
    );

  withPlace(program.command('fetch'))
    .description('fetch what footbridge.lock names and this machine does not have')
    .addHelpText('after', FETCH_EXAMPLES)
    .action(async (_own, command: Command) =>
      exit(await (await import('../fetched/update.js')).fetchLocked(command.optsWithGlobals(), io)),
    );
}

function withPlace(command: Command): Command {
  return command.option('--global', 'your own sources, for all projects').option('--json', 'print JSON');
}

function several(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), given(value)];
}
