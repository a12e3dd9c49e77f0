/** `footbridge completion`, and the hidden command that its scripts call. */
import { Argument, type Command } from 'commander';
import type { Exit } from '../arguments.js';
import type { Io } from '../io.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const EXAMPLES = `
Examples:
  $ footbridge completion bash > ~/.local/share/bash-completion/completions/footbridge
  $ footbridge completion zsh > "\${fpath[1]}/_footbridge"       then start a new shell
  $ footbridge completion fish > ~/.config/fish/completions/footbridge.fish

Without a file, for the shell that is running:
  $ source <(footbridge completion bash)       bash
  $ source <(footbridge completion zsh)        zsh, after compinit
  $ footbridge completion fish | source        fish`;

export function addCompletion(program: Command, io: Io, exit: Exit): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and skill names in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices([...SHELLS]))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: Shell) => void io.stdout.write((await import('../completion/scripts.js')).SCRIPTS[shell]));

  program
    .command('__complete', { hidden: true })
    .addArgument(new Argument('<shell>').choices([...SHELLS]))
    .argument('[line...]')
    .helpOption(false)
    .allowUnknownOption()
    .action(async (shell: Shell, line: string[]) =>
      exit(await (await import('../completion/index.js')).complete(program, shell, line, io)),
    );
}
