/** The commands that put Footbridge into hosts and take it out again: `install` and `uninstall`. */
import { type Command, Option } from 'commander';
import type { Io } from '../io.js';
import { type Exit, given } from './arguments.js';

const INSTALL_EXAMPLES = `
Examples:
  $ footbridge install --dry-run                       what would be written for the hosts that are here, for this project
  $ footbridge install --global                        for all projects
  $ footbridge install --host cursor --host vscode     for these hosts
  $ footbridge install --skills ./team-skills --yes    without a question, with a folder of skills
  $ footbridge install --global --wrap github docs     two servers of the hosts behind Footbridge, too
  $ footbridge install --global --wrap all             all of them

Hosts: antigravity, claude-code, claude-desktop, cline, cline-cli, codex, cursor, fx, gemini-cli, github-copilot-cli,
goose, grok-build, kilo-code, kimi-code, kiro-cli, mastracode, mcporter, opencode, pi, qwen-code, vscode, windsurf, zed.

The change is shown before it is written, nothing else of a file changes, and what it was before is kept.
A file that cannot be parsed is left alone. Exit 1 when anything was left undone.`;

const UNINSTALL_EXAMPLES = `
Examples:
  $ footbridge uninstall                      this project's configurations as they were before footbridge install
  $ footbridge uninstall --global --dry-run   what would change in those for all projects

A file that nobody has changed since gets its old bytes back; from any other only what is ours is taken out.`;

/** Adds `install` and `uninstall`. */
export function addHosts(program: Command, io: Io, exit: Exit): void {
  withCommonOptions(program.command('install'))
    .description('put Footbridge into the configuration of the MCP hosts that are here')
    .addOption(
      new Option('--wrap <servers...>', 'servers of theirs that go behind Footbridge, by their names; all for each').argParser(
        severalNames,
      ),
    )
    .addHelpText('after', INSTALL_EXAMPLES)
    .action(async (_own, command: Command) => exit(await (await import('../commands/install.js')).install(command.optsWithGlobals(), io)));

  withCommonOptions(program.command('uninstall'))
    .description('take Footbridge out of the configuration of MCP hosts, and give back what it was')
    .addHelpText('after', UNINSTALL_EXAMPLES)
    .action(async (_own, command: Command) =>
      exit(await (await import('../commands/uninstall.js')).uninstall(command.optsWithGlobals(), io)),
    );
}

function withCommonOptions(command: Command): Command {
  return command
    .addOption(new Option('--host <names...>', 'only these hosts, such as claude-code or cursor').argParser(severalNames))
    .option('--global', "your own configuration, for all projects, instead of this project's")
    .option('--dry-run', 'show the changes and write nothing')
    .option('--yes', 'write without asking')
    .option('--json', 'print JSON');
}

function severalNames(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), given(value)];
}
