/** `footbridge install` and `footbridge uninstall`. */
import { type Command, Option } from 'commander';
import { type Exit, severalNames } from '../arguments.js';
import type { Io } from '../io.js';

const INSTALL_EXAMPLES = `
Examples:
  $ footbridge install --dry-run --diff                show the changes for the installed hosts, for this project
  $ footbridge install --global                        install for all projects
  $ footbridge install --host cursor --host vscode     install for these hosts
  $ footbridge install --skills ./team-skills --yes    install without asking, with a skill folder
  $ footbridge install --global --wrap github docs     also wrap two servers of the hosts
  $ footbridge install --global --wrap all             wrap all servers
  $ footbridge install --url https://example.org/mcp   connect to a team server

Hosts: antigravity, claude-code, claude-desktop, cline, cline-cli, codex, cursor, fx, gemini-cli, github-copilot-cli,
goose, grok-build, kilo-code, kimi-code, kiro-cli, mastracode, mcporter, opencode, pi, qwen-code, vscode, windsurf, zed.

At a terminal you choose among the installed hosts, and answer d to see the lines that change. The rest of each file stays as it is, and a backup is kept.
A file that cannot be parsed is left unchanged. Exit code 1 if any change was not made.`;

const UNINSTALL_EXAMPLES = `
Examples:
  $ footbridge uninstall                      restore the configurations of this project
  $ footbridge uninstall --global --dry-run   show the changes of the global configurations

A file that has not changed since is restored byte for byte; from others, only the entries of Footbridge are removed.`;

export function addInstall(program: Command, io: Io, exit: Exit): void {
  withCommonOptions(program.command('install'))
    .description('add Footbridge to the configuration of the installed MCP hosts')
    .addOption(new Option('--wrap <servers...>', 'servers of the hosts to wrap with Footbridge, by name, or all').argParser(severalNames))
    .option('--url <url>', 'connect the hosts to a team server at this URL')
    .option('--token-env <name>', 'with --url: the variable with your token, to which the entries refer')
    .addHelpText('after', INSTALL_EXAMPLES)
    .action(async (_own, command: Command) => exit(await (await import('../install/install.js')).install(command.optsWithGlobals(), io)));

  withCommonOptions(program.command('uninstall'))
    .description('remove Footbridge from the configuration of MCP hosts and restore it')
    .addHelpText('after', UNINSTALL_EXAMPLES)
    .action(async (_own, command: Command) =>
      exit(await (await import('../install/uninstall.js')).uninstall(command.optsWithGlobals(), io)),
    );
}

function withCommonOptions(command: Command): Command {
  return command
    .addOption(new Option('--host <names...>', 'only these hosts, such as claude-code or cursor').argParser(severalNames))
    .option('--global', "the configuration of your account instead of the project's")
    .option('--diff', 'show the lines that change')
    .option('--dry-run', 'show the changes without writing them')
    .option('--yes', 'write without asking')
    .option('--json', 'print JSON');
}
