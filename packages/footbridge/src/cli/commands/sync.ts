/** `footbridge sync`. */
import { type Command, Option } from 'commander';
import { type Exit, severalNames } from '../arguments.js';
import type { Io } from '../io.js';

const EXAMPLES = `
Examples:
  $ footbridge sync                                   all skills, for the installed hosts, in this project
  $ footbridge sync --dry-run                         show what it would write
  $ footbridge sync --to claude-code --skill pdf      one skill for one host
  $ footbridge sync --to codex --to gemini-cli --yes  write without asking
  $ footbridge sync --global                          into the folders of your home folder
  $ footbridge sync --remove                          remove what sync wrote in this project

Hosts: claude-code, codex, gemini-cli, qwen-code, opencode, github-copilot-cli, continue, kilo-code, cline, kimi-code.

Run it again to update: changed skills are replaced, and those that are no longer served are removed. What sync did not
write, and what you edited, stays as it is. Exit code 1 if any skill could not be written or removed.`;

export function addSync(program: Command, io: Io, exit: Exit): void {
  program
    .command('sync')
    .description('write skills into the folders that hosts read themselves')
    .addOption(new Option('--to <hosts...>', 'only for these hosts; default: the installed ones').argParser(severalNames))
    .addOption(new Option('--skill <names...>', 'only these skills; default: all').argParser(severalNames))
    .option('--remove', 'remove what sync wrote')
    .option('--global', "the folders of your home folder instead of the project's")
    .option('--dry-run', 'show the changes without writing them')
    .option('--yes', 'write without asking')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (_own, command: Command) => exit(await (await import('../sync/index.js')).sync(command.optsWithGlobals(), io)));
}
