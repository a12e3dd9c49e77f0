/** `footbridge login`, `logout` and `logins`. */
import type { Command } from 'commander';
import { type Exit, given } from '../arguments.js';
import type { Io } from '../io.js';

const LOGIN_EXAMPLES = `
Examples:
  $ footbridge login docs                       a server of footbridge.json
  $ footbridge login https://example.org/mcp    any server, for footbridge wrap
  $ footbridge login docs --no-browser          print the link only

The login is stored encrypted for your user alone, with a key in the system keychain where there is one. All hosts on this
machine use it, also those that are running already.`;

const LOGOUT_EXAMPLES = `
Examples:
  $ footbridge logout docs
  $ footbridge logout --all`;

export function addLogin(program: Command, io: Io, exit: Exit): void {
  program
    .command('login')
    .description('sign in to a server that requires it')
    .argument('<server>', 'the name of a server in footbridge.json, or a URL', given)
    .option('--no-browser', 'print the link instead of opening a browser')
    .option('--scope <scopes>', 'request these scopes as well, separated by spaces')
    .option('--json', 'print JSON; the link is written to stderr')
    .addHelpText('after', LOGIN_EXAMPLES)
    .action(async (server: string, _own, command: Command) =>
      exit(await (await import('../login/index.js')).login(server, command.optsWithGlobals(), io)),
    );

  program
    .command('logout')
    .description('remove a login, and revoke it where the server allows that')
    .argument('[server]', 'the name of a server in footbridge.json, or a URL', given)
    .option('--all', 'remove all logins')
    .option('--json', 'print JSON')
    .addHelpText('after', LOGOUT_EXAMPLES)
    .action(async (server: string | undefined, _own, command: Command) =>
      exit(await (await import('../login/index.js')).logout(server, command.optsWithGlobals(), io)),
    );

  program
    .command('logins')
    .description('list the servers that you are signed in to')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge logins\n  $ footbridge logins --json')
    .action(async (_own, command: Command) => exit(await (await import('../login/index.js')).logins(command.optsWithGlobals(), io)));

  // Started by Footbridge itself.
  program
    .command('renew-login', { hidden: true })
    .argument('<id>')
    .argument('<digest>')
    .action(async (id: string, digest: string) => exit(await (await import('../login/renewal.js')).renewHere(id, digest, io)));

  program
    .command('keychain', { hidden: true })
    .argument('<action>')
    .argument('<account>')
    .action(async (action: string, account: string) =>
      exit(await (await import('../login/keychain-process.js')).answerFromKeychain(action, account, io)),
    );
}
