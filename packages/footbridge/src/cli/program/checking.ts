/** The commands that check: `lint` and `surface`. */
import { type Command, Option } from 'commander';
import type { Io } from '../io.js';
import { type Exit, failWith, seconds, several } from './arguments.js';

const SURFACE_EXAMPLES = `
Examples:
  $ footbridge surface -- node server.js
  $ footbridge surface --env API_KEY -- node server.js
  $ footbridge surface --json -- npx -y @acme/server@1 > surface.json
  $ footbridge surface --against surface.json -- npx -y @acme/server@2
  $ footbridge surface http://127.0.0.1:3333/mcp

Exit codes: 0 no removals or changes, 1 removals or changes, 2 failure.`;

/** Adds `lint` and `surface`. */
export function addChecking(program: Command, io: Io, exit: Exit): void {
  program
    .command('lint')
    .description('check skills against the Agent Skills standard; exit code 1 on errors')
    .argument('[dirs...]', 'folders to check instead of the configured ones')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge lint\n  $ footbridge lint ./team-skills --json')
    .action(async (dirs: string[], _own, command: Command) =>
      exit(await (await import('../commands/lint.js')).lint(dirs, command.optsWithGlobals(), io)),
    );

  program
    .command('surface')
    .description('print what an MCP server offers, or what has changed; exit code 1 on removals and changes')
    .argument('[server...]', 'URL, or -- and the command that starts a server; default: footbridge itself')
    .option('--json', 'print JSON in a stable order')
    .option('--against <file>', 'compare with an earlier output of --json')
    .option('--exact', 'with --against: exit code 1 also on additions')
    .addOption(
      new Option('--env <name=value>', 'a variable for the command; NAME alone passes yours on (repeatable)')
        .default([], 'none')
        .argParser(several),
    )
    .addOption(
      new Option('--header <header>', `a header for the URL, as "Name: value" (repeatable)`).default([], 'none').argParser(several),
    )
    .addOption(new Option('--timeout <seconds>', 'timeout for each answer').default(30).argParser(seconds))
    .addHelpText('after', SURFACE_EXAMPLES)
    // A mistake in the command line must not look like a difference.
    .exitOverride(failWith(2))
    .action(async (server: string[], _own, command: Command) =>
      exit(await (await import('../commands/surface.js')).surface(server, command.optsWithGlobals(), io)),
    );
}
