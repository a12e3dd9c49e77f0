/** `footbridge token`: tokens of callers over HTTP. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { type Exit, given, repeatable } from '../arguments.js';
import type { Io } from '../io.js';
import type { CreateOptions, TokenFileOptions } from '../token.js';

const EXAMPLES = `
Examples:
  $ footbridge token build-agent --write --expires 90d   create one and add it to footbridge.json
  $ footbridge token ops --role admin                    print the token and its entry
  $ footbridge token list                                names, roles and expiry
  $ footbridge token revoke build-agent                  remove it from footbridge.json

footbridge.json contains only the SHA-256 of a token. A running server uses the new tokens after a restart.`;

const LIST_EXAMPLES = `
Examples:
  $ footbridge token list
  $ footbridge token list --config team.json     of another file
  $ footbridge token list --json | jq -r '.tokens[] | select(.expired).name'`;

const REVOKE_EXAMPLES = `
Examples:
  $ footbridge token revoke build-agent
  $ footbridge token revoke build-agent --config team.json     in another file

A running server refuses the token after a restart.`;

export function addToken(program: Command, io: Io, exit: Exit): void {
  const token = program
    .command('token')
    .description('create, list and revoke tokens for callers over HTTP')
    .addArgument(new Argument('<name>', 'name of the holder').argParser(given))
    .addOption(repeatable('--role <role>', 'a role of the holder, such as admin (repeatable)'))
    .addOption(new Option('--expires <time>', 'when it expires: 12h, 90d, 8w, 1y or a date such as 2027-01-31').argParser(expiry))
    .option('--write', 'add its entry to footbridge.json, or to the file of --config')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, _own, command: Command) =>
      exit(await (await import('../token.js')).createToken(name, command.optsWithGlobals<CreateOptions>(), io)),
    );
  token
    .command('list')
    .description('list the tokens in footbridge.json')
    .option('--json', 'print JSON')
    .addHelpText('after', LIST_EXAMPLES)
    .action(async (_own, command: Command) =>
      exit(await (await import('../token.js')).listTokens(command.optsWithGlobals<TokenFileOptions>(), io)),
    );
  token
    .command('revoke')
    .description('remove a token from footbridge.json')
    .addArgument(new Argument('<name>', 'name of the holder').argParser(given))
    .option('--json', 'print JSON')
    .addHelpText('after', REVOKE_EXAMPLES)
    .action(async (name: string, _own, command: Command) =>
      exit(await (await import('../token.js')).revokeToken(name, command.optsWithGlobals<TokenFileOptions>(), io)),
    );
}

const HOUR_MS = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS, y: 365 * 24 * HOUR_MS };

/** A duration from now, or the end of a day in UTC; without fractions of a second. */
function expiry(value: string): string {
  const [, amount, unit = ''] = /^(\d{1,6})([hdwy])$/.exec(value) ?? [];
  const time =
    amount === undefined
      ? /^\d{4}-\d\d-\d\d$/.test(value)
        ? Date.parse(`${value}T23:59:59Z`)
        : Number.NaN
      : Date.now() + Number(amount) * (UNITS[unit] ?? Number.NaN);
  // Beyond this, a date has no ISO form with four digits.
  if (!(time < Date.UTC(9999, 0)))
    throw new InvalidArgumentError('Use a duration such as 12h, 90d, 8w or 1y, or a date such as 2027-01-31.');
  if (time <= Date.now()) throw new InvalidArgumentError('This time is in the past.');
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
