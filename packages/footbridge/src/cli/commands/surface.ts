/** `footbridge surface`: prints what an MCP server offers, or what has changed. */
import { type Command, Option } from 'commander';
import { type Exit, failWith, repeatable, seconds } from '../arguments.js';
import type { Io } from '../io.js';

const EXAMPLES = `
Examples:
  $ footbridge surface -- node server.js
  $ footbridge surface --env API_KEY -- node server.js
  $ footbridge surface --json -- npx -y @acme/server@1 > surface.json
  $ footbridge surface --against surface.json -- npx -y @acme/server@2
  $ footbridge surface http://127.0.0.1:3333/mcp

Exit codes: 0 no removals or changes, 1 removals or changes, 2 failure.`;

export function addSurface(program: Command, io: Io, exit: Exit): void {
  program
    .command('surface')
    .description('print what an MCP server offers, or what has changed; exit code 1 on removals and changes')
    .argument('[server...]', 'URL, or -- and the command that starts a server; default: footbridge itself')
    .option('--json', 'print JSON in a stable order')
    .option('--against <file>', 'compare with an earlier output of --json')
    .option('--exact', 'with --against: exit code 1 also on additions')
    .addOption(repeatable('--env <name=value>', 'a variable for the command; NAME alone passes yours on (repeatable)'))
    .addOption(repeatable('--header <header>', `a header for the URL, as "Name: value" (repeatable)`))
    .addOption(new Option('--timeout <seconds>', 'timeout for each answer').default(30).argParser(seconds))
    .addHelpText('after', EXAMPLES)
    // A mistake in the command line must not look like a difference.
    .exitOverride(failWith(2))
    .action(async (server: string[], _own, command: Command) =>
      exit(await (await import('../surface/index.js')).surface(server, command.optsWithGlobals(), io)),
    );
}
