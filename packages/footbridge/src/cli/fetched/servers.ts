/** MCP servers of plugins: shown, and written to `footbridge.json` only after a user has reviewed exactly these. */
import type { PluginServer, ServerSetting } from '../../sources/fetched/plugins/servers.js';
import { digestOf } from '../../sources/skills/digest.js';
import { type Consent, consent, refusal } from '../asking.js';
import { McpServersSchema } from '../config/mcp-servers-schema.js';
import { expandVariables } from '../config/variables.js';
import { isSameValue } from '../install/text/index.js';
import type { Io } from '../io.js';
import { plain, plural } from '../terminal.js';
import { shownWord } from '../trust/describe.js';
import { addServers, serversIn } from './edit-config.js';
import { aloneAt } from './locked.js';
import type { PlaceOptions, SourcesPlace } from './place.js';

export interface PluginServerOptions extends PlaceOptions {
  readonly servers?: boolean;
  /** The digest of the servers that the user has reviewed. */
  readonly accept?: string;
  readonly json?: boolean;
}

/** The servers that can be added, by their new names, and why others cannot. */
export interface OfferedServers {
  readonly usable: Readonly<Record<string, ServerSetting>>;
  /** Already in the file, as they are. */
  readonly present: readonly string[];
  readonly refused: readonly { readonly name: string; readonly problem: string }[];
  /** For `--accept`. Undefined if there is nothing to add. */
  readonly digest: string | undefined;
}

/** Names in use get the plugin's name as a prefix. */
export function offeredServers(found: readonly PluginServer[], place: SourcesPlace, io: Io): OfferedServers {
  const taken = new Map(Object.entries(serversIn(place, io)));
  const usable = new Map<string, ServerSetting>();
  const present: string[] = [];
  const refused: { name: string; problem: string }[] = [];
  for (const server of found) {
    const { name, plugin } = server;
    if ('problem' in server) {
      refused.push({ name, problem: server.problem });
      continue;
    }
    const names = [name, `${plugin}-${name}`];
    const same = names.find((each) => isSameValue(taken.get(each) ?? usable.get(each), server.setting));
    const free = names.find((each) => !taken.has(each) && !usable.has(each));
    const problem = free === undefined ? 'Its name is taken.' : problemOf(free, server.setting, io);
    if (same !== undefined) present.push(same);
    else if (free === undefined || problem !== undefined) refused.push({ name, problem: problem ?? 'Its name is taken.' });
    else usable.set(free, server.setting);
  }
  const digest = usable.size === 0 ? undefined : digestOf(JSON.stringify([...usable])).slice('sha256:'.length, 'sha256:'.length + 24);
  return { usable: Object.fromEntries(usable), present, refused, digest };
}

/** Why the file would be invalid with it. */
function problemOf(name: string, setting: ServerSetting, { env }: Io): string | undefined {
  let problem: string | undefined;
  const expanded: unknown = JSON.parse(JSON.stringify(setting), (_key, value: unknown) => {
    if (typeof value !== 'string') return value;
    const expansion = expandVariables(value, env);
    if (!expansion.ok) problem ??= `${expansion.message} Set it, and add the servers again.`;
    return expansion.ok ? expansion.text : value;
  });
  if (problem !== undefined) return problem;
  return McpServersSchema.safeParse({ [name]: expanded }).error?.issues[0]?.message;
}

/** Shows the servers and asks. Without a terminal, only those with the given digest are written, since no user has reviewed others. */
export async function offerServers(offered: OfferedServers, place: SourcesPlace, options: PluginServerOptions, io: Io): Promise<Consent> {
  const { digest, usable } = offered;
  if (options.json !== true) printServers(offered, io);
  const count = plural(Object.keys(usable).length, 'server');
  if (digest === undefined) return { given: false };
  const answer = await acceptance(digest, `Add ${count} to ${plain(place.file)}?`, options, io);
  if (!answer.given) return answer;
  await aloneAt(place, io, () => addServers(place, usable, io));
  if (options.json !== true) {
    io.print(`Added ${count} to ${plain(place.file)}.`);
    if (place.location === 'project' && options.config === undefined)
      io.print('No server starts before you have run in this folder: footbridge trust');
  }
  return answer;
}

async function acceptance(digest: string, question: string, { accept, json }: PluginServerOptions, io: Io): Promise<Consent> {
  if (accept === undefined)
    return consent(question, { json }, io, {
      unasked: `No server was added. To add exactly these without a question, use: --servers --accept ${digest}`,
    });
  if (accept === digest) return { given: true };
  return refusal(`No server was added: these are not the servers with the digest ${plain(accept)}, but with ${digest}.`, json, io);
}

function printServers({ present, refused, usable }: OfferedServers, io: Io): void {
  const { colors } = io;
  const entries = Object.entries(usable);
  if (entries.length > 0) io.print('MCP servers. Commands run on this machine, with your permissions:');
  for (const [name, setting] of entries) {
    const lines = serverLines(setting);
    io.printItem(`  ${colors.bold(plain(name))}  `, lines[0] ?? '');
    for (const line of lines.slice(1)) io.printItem('    ', line);
  }
  if (present.length > 0) io.print(`Already in footbridge.json: ${present.map(plain).join(', ')}`);
  for (const { name, problem } of refused) io.print(`${colors.yellow('Not usable:')} the server ${plain(name)}: ${plain(problem)}`);
}

/** All settings that are written, since any of them may do harm. */
function serverLines(setting: ServerSetting): readonly string[] {
  const pairs = (what: string, values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).map(([name, value]) => `${what} ${shownWord(name)}=${shownWord(value)}`);
  if ('url' in setting) return [shownWord(setting.url), ...pairs('header', setting.headers)];
  const { args = [], command, cwd, env } = setting;
  return [
    [command, ...args].map(shownWord).join(' '),
    ...pairs('variable', env),
    ...(cwd === undefined ? [] : [`in the folder ${shownWord(cwd)}`]),
  ];
}
