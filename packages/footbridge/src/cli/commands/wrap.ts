/** `footbridge wrap`: one MCP server, with all that it has, and our tools beside it. */
import type { CommonOptions } from '../options.js';
import { print } from '../terminal.js';
import { type WrapOptions, wrappedServer } from '../wrapped-server.js';
import { runStdio } from './serve.js';
import type { HttpCommandOptions } from './serve-http.js';

export type WrapCommandOptions = CommonOptions &
  WrapOptions &
  (Omit<HttpCommandOptions, 'http'> & Partial<Pick<HttpCommandOptions, 'http'>>);

/** `words` are a URL, or a command and its arguments. Throws, with what to do, when they or the options are wrong. */
export async function wrap(words: readonly string[], options: WrapCommandOptions): Promise<void> {
  const outcome = wrappedServer(words, options, process.env);
  if (!outcome.ok) throw new Error(outcome.problem);
  const { http } = options;
  const all = { ...options, wrapped: outcome.wrapped };
  if (http !== undefined) return (await import('./serve-http.js')).runHttp({ ...all, http });
  if (process.stdin.isTTY === true) return print(explanation(outcome.wrapped.name));
  return runStdio(all);
}

function explanation(name: string): string {
  const entry = { command: 'npx', args: ['-y', 'footbridge', ...process.argv.slice(2)] };
  return `This command is started by an MCP host, which talks to it over stdin and stdout.
Put this into the host's configuration:

${JSON.stringify({ mcpServers: { [name]: entry } }, undefined, 2)}

At a terminal, footbridge surface -- COMMAND shows what a server has, and --http 3333 serves it over HTTP.`;
}
