/** `footbridge wrap`: one MCP server, with all that it has, and our tools beside it. */
import type { Io } from '../io.js';
import type { CommonOptions } from '../options.js';
import { type WrapOptions, wrappedServer } from '../wrapped-server.js';
import { runStdio } from './serve.js';
import type { HttpCommandOptions } from './serve-http.js';

export type WrapCommandOptions = CommonOptions &
  WrapOptions &
  (Omit<HttpCommandOptions, 'http'> & Partial<Pick<HttpCommandOptions, 'http'>>);

/** `words` are a URL, or a command and its arguments. Throws, with what to do, when they or the options are wrong. */
export async function wrap(words: readonly string[], options: WrapCommandOptions, argv: readonly string[], io: Io): Promise<void> {
  const outcome = wrappedServer(words, options, io);
  if (!outcome.ok) throw new Error(outcome.problem);
  const { http } = options;
  const all = { ...options, wrapped: outcome.wrapped };
  if (http !== undefined) return (await import('./serve-http.js')).runHttp({ ...all, http }, io);
  if (io.stdin.isTTY === true) return io.print(explanation(outcome.wrapped.name, argv));
  return runStdio(all, io);
}

function explanation(name: string, argv: readonly string[]): string {
  const entry = { command: 'npx', args: ['-y', 'footbridge', ...argv] };
  return `This command is started by an MCP host, which communicates with it over stdin and stdout.
Add this to the host's configuration:

${JSON.stringify({ mcpServers: { [name]: entry } }, undefined, 2)}

At a terminal, footbridge surface -- COMMAND shows what a server offers, and --http 3333 serves it over HTTP.`;
}
