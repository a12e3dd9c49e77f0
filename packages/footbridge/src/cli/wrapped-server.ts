/** The server of `wrap` and `surface`, from the command line. */
import { resolve } from 'node:path';
import { ownField } from '../json.js';
import { redact } from '../redact.js';
import type { ServerSettings, UpstreamServer } from '../sources/upstream/options.js';
import { expandVariables } from './config/variables.js';
import { statOf } from './folders.js';
import type { Surroundings } from './io.js';
import {
  HAS_CREDENTIALS,
  hasCredentials,
  hasNoNul,
  INVALID_URL,
  isHeaderName,
  isHeaderValue,
  isHttpUrl,
  isVariableName,
  looksLikeUrl,
  NO_HEADER_VALUE,
} from './server-values.js';

export const ISOLATIONS = ['shared', 'caller'] as const;
export const TOOL_SEARCHES = ['auto', 'on', 'off'] as const;

export interface WrapOptions {
  /** `NAME=VALUE`, or `NAME` for a variable of this process. */
  readonly env?: readonly string[] | undefined;
  /** `Name: value`. */
  readonly header?: readonly string[] | undefined;
  /** `Name=VARIABLE`: a header with the value of a variable of this process. */
  readonly headerEnv?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly isolation?: (typeof ISOLATIONS)[number] | undefined;
  readonly toolSearch?: (typeof TOOL_SEARCHES)[number] | undefined;
}

export interface WrappedServer {
  /** For messages, and as a prefix if it is not the only server. */
  readonly name: string;
  readonly server: UpstreamServer;
}

type WrapOutcome =
  | { readonly ok: true; readonly wrapped: WrappedServer }
  /** Contains no values, which may be secrets. */
  | { readonly ok: false; readonly problem: string };

/** `words` are a URL, or a command with its arguments. */
export function wrappedServer(
  words: readonly string[],
  options: WrapOptions,
  { cwd: folder, env: environment }: Pick<Surroundings, 'cwd' | 'env'>,
): WrapOutcome {
  const [first = '', ...others] = words;
  if (first === '') return problem('The command is empty; is a variable unset?');
  const { isolation, toolSearch } = options;
  const settings: ServerSettings = {
    isolation,
    toolSearch: toolSearch === undefined || toolSearch === 'auto' ? toolSearch : toolSearch === 'on',
  };
  const name = serverName(words);
  if (!looksLikeUrl(first)) {
    if (options.header !== undefined && options.header.length > 0) return problem('--header requires a URL. For a command, use --env.');
    if (options.headerEnv !== undefined && options.headerEnv.length > 0)
      return problem('--header-env requires a URL. For a command, use --env.');
    if (!words.every(hasNoNul)) return problem('The command contains a NUL character.');
    const env = variables(options.env ?? [], environment);
    if ('problem' in env) return problem(env.problem);
    const cwd = options.cwd === undefined ? undefined : resolve(folder, options.cwd);
    if (cwd !== undefined && statOf(cwd)?.isDirectory() !== true) return problem(`--cwd: Folder not found: ${options.cwd}`);
    return { ok: true, wrapped: { name, server: { command: first, args: others, env: env.values, cwd, ...settings } } };
  }
  if (options.env !== undefined && options.env.length > 0) return problem('--env requires a command. For a URL, use --header.');
  if (options.cwd !== undefined) return problem('--cwd requires a command.');
  if (others.length > 0) return problem('Unexpected argument after the URL. Options go before it.');
  if (!isHttpUrl(first)) return problem(INVALID_URL);
  if (hasCredentials(first)) return problem(`${HAS_CREDENTIALS} Use --header.`);
  const headers = headersOf(options.header ?? [], environment);
  if ('problem' in headers) return problem(headers.problem);
  const held = headersFromEnv(options.headerEnv ?? [], environment);
  if ('problem' in held) return problem(held.problem);
  return { ok: true, wrapped: { name, server: { url: first, headers: { ...headers.values, ...held.values }, ...settings } } };
}

function problem(text: string): WrapOutcome {
  return { ok: false, problem: text };
}

type Values = { readonly values: Readonly<Record<string, string>> } | { readonly problem: string };

function variables(given: readonly string[], environment: NodeJS.ProcessEnv): Values {
  const values = new Map<string, string>();
  for (const each of given) {
    const [, name = each, value] = /^([^=]*)=(.*)$/s.exec(each) ?? [];
    if (!isVariableName(name) || !hasNoNul(each)) return { problem: '--env takes NAME=VALUE, or NAME to pass a variable on.' };
    const content = value ?? ownField(environment, name);
    if (content === undefined)
      return { problem: `--env ${redact(name)}: the environment variable is not set. Set it, or write NAME=VALUE.` };
    values.set(name, content);
  }
  return { values: Object.fromEntries(values) };
}

function headersOf(given: readonly string[], environment: NodeJS.ProcessEnv): Values {
  const values = new Map<string, string>();
  for (const each of given) {
    const [, name = '', text = ''] = /^([^:]*):(.*)$/s.exec(each) ?? [];
    if (!isHeaderName(name)) return { problem: '--header takes "Name: value", such as "Authorization: Bearer ..."' };
    const expansion = expandVariables(text.trim(), environment);
    if (!expansion.ok) return { problem: `--header ${name}: ${expansion.message} ${expansion.action}` };
    if (!isHeaderValue(expansion.text)) return { problem: `--header ${name}: ${NO_HEADER_VALUE}` };
    values.set(name, expansion.text);
  }
  return { values: Object.fromEntries(values) };
}

/** Unlike with `--header`, `${` in the value is literal. */
function headersFromEnv(given: readonly string[], environment: NodeJS.ProcessEnv): Values {
  const values = new Map<string, string>();
  for (const each of given) {
    const [, name = '', variable = ''] = /^([^=]*)=(.*)$/s.exec(each) ?? [];
    if (!isHeaderName(name) || !isVariableName(variable))
      return { problem: '--header-env takes Name=VARIABLE, such as Authorization=DOCS_AUTHORIZATION' };
    const content = ownField(environment, variable);
    if (content === undefined)
      return {
        problem: `--header-env ${name}: the environment variable ${redact(variable)} is not set. Set it where footbridge is started.`,
      };
    if (!isHeaderValue(content)) return { problem: `--header-env ${name}: ${NO_HEADER_VALUE}` };
    values.set(name, content);
  }
  return { values: Object.fromEntries(values) };
}

/** Programs that run another one, and their subcommands. */
const RUNNERS = /^(?:npx|npm|pnpm|pnpx|yarn|bun|bunx|node|tsx|deno|python[\d.]*|py|pipx|uv|uvx|docker|podman|cmd|sh|bash|env)$/;
const BETWEEN = /^(?:exec|dlx|run|tool|x)$/;
const COMMON = /^(?:index|main|cli|server|mcp|mcp-server|dist|build|out|lib|src|bin)$/;
const LONGEST = 40;

/** A short name, deterministic. Contains no values of options or variables, which may be secrets. */
export function serverName(words: readonly string[]): string {
  const [first = ''] = words;
  const name = /^https?:\/\//i.test(first) ? hostName(first) : shortened(programName(words));
  const fitting = name
    .replace(/[^\w.-]+/g, '-')
    .replace(/_{2,}/g, '_')
    .slice(0, LONGEST)
    .replace(/^[_.-]+|(?<![_.-])[_.-]+$/g, '');
  return fitting === '' ? 'server' : fitting;
}

function hostName(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^(?:www|mcp|api)\.(?=.*\.)/, '') : '';
}

function programName([command = '', ...args]: readonly string[]): string {
  const program = baseName(command).replace(/\.(?:exe|cmd|bat)$/i, '');
  if (!RUNNERS.test(program)) return program;
  const names = args.filter((word) => /^[\w@./\\]/.test(word) && !word.includes('=') && !/^\/\w$/.test(word) && !BETWEEN.test(word));
  const [first] = names;
  if (first === undefined) return program;
  if (/^(?:docker|podman)$/.test(program)) return baseName(names.find((word) => /^\w[\w.-]*\/\S/.test(word)) ?? first).replace(/:.*$/s, '');
  return programName([first, ...args.slice(args.indexOf(first) + 1)]);
}

/** Without folder, scope, version and extension. A generic name is replaced by that of its folder. */
function baseName(word: string): string {
  const parts = word
    .split(/[/\\]/)
    .map((part) => part.replace(/(?!^)@.*$/s, '').replace(/\.(?:[cm]?[jt]s|py|sh)$/, ''))
    .filter((part) => !/^\.{0,2}$/.test(part));
  return parts.findLast((part) => !COMMON.test(part)) ?? parts.at(-1) ?? '';
}

/** Without common prefixes and suffixes. */
function shortened(name: string): string {
  const short = name.replace(/^(?:(?:mcp|server)[-_])+/, '').replace(/(?:[-_](?:mcp|server)){1,4}$/, '');
  return short === '' ? name : short;
}
