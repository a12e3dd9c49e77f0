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

Exit codes: 0 nothing is gone or different, 1 something is, 2 it could not be found out.`;

/** Adds `lint` and `surface`. */
export function addChecking(program: Command, io: Io, exit: Exit): void {
  program
    .command('lint')
    .description('check skills against the Agent Skills standard; exit 1 on errors')
    .argument('[dirs...]', 'folders to check instead of the configured ones')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge lint\n  $ footbridge lint ./team-skills --json')
    .action(async (dirs: string[], _own, command: Command) =>
      exit(await (await import('../commands/lint.js')).lint(dirs, command.optsWithGlobals(), io)),
    );

  program
    .command('surface')
    .description('print all that an MCP server offers, or what changed since; exit 1 when something is gone or different')
    .argument('[server...]', 'URL, or -- and a command that starts a server; without it footbridge itself')
    .option('--json', 'print JSON, the same each time')
    .option('--against <file>', 'print what differs from this, which --json printed before')
    .option('--exact', 'with --against: exit 1 for additions too')
    .addOption(
      new Option('--env <name=value>', 'a variable for the command; NAME alone passes yours on (repeatable)')
        .default([], 'none')
        .argParser(several),
    )
    .addOption(
      new Option('--header <header>', `a header for the URL, as "Name: value" (repeatable)`).default([], 'none').argParser(several),
    )
    .addOption(new Option('--timeout <seconds>', 'how long each answer may take').default(30).argParser(seconds))
    .addHelpText('after', SURFACE_EXAMPLES)
    // A mistake in the command line must not look like a difference.
    .exitOverride(failWith(2))
    .action(async (server: string[], _own, command: Command) =>
      exit(await (await import('../commands/surface.js')).surface(server, command.optsWithGlobals(), io)),
    );
}
