/** The one server that `footbridge wrap` names. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ownField } from '../json.js';
import { redact } from '../redact.js';
import type { UpstreamServer } from '../sources/upstream/options.js';
import { expandVariables } from './config/variables.js';
import type { Surroundings } from './io.js';
import { serverName } from './server-name.js';
import {
  HAS_CREDENTIALS,
  hasCredentials,
  hasNoNul,
  isHeaderName,
  isHeaderValue,
  isVariableName,
  NO_HEADER_VALUE,
} from './server-values.js';

export const ISOLATIONS = ['shared', 'caller'] as const;

/** The options of `wrap` that are about the server. */
export interface WrapOptions {
  /** Each `NAME=VALUE`, or the `NAME` of a variable of ours. */
  readonly env?: readonly string[] | undefined;
  /** Each `Name: value`. */
  readonly header?: readonly string[] | undefined;
  /** Each `Name=VARIABLE`: a header whose whole value is in a variable of ours. */
  readonly headerEnv?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly isolation?: (typeof ISOLATIONS)[number] | undefined;
}

export interface WrappedServer {
  /** For messages, and what its names begin with where it is not the only one. */
  readonly name: string;
  readonly server: UpstreamServer;
}

export type WrapOutcome =
  | { readonly ok: true; readonly wrapped: WrappedServer }
  /** Repeats no value, since that may be a secret. */
  | { readonly ok: false; readonly problem: string };

/** What a URL, or a command with its arguments, and the options mean. */
export function wrappedServer(
  words: readonly string[],
  options: WrapOptions,
  { cwd: folder, env: environment }: Pick<Surroundings, 'cwd' | 'env'>,
): WrapOutcome {
  const [first = '', ...others] = words;
  if (first === '') return problem('The command is empty; is a variable unset?');
  const isolation = options.isolation === undefined ? {} : { isolation: options.isolation };
  const name = serverName(words);
  if (!isUrl(first)) {
    if (options.header !== undefined && options.header.length > 0) return problem('--header requires a URL. For a command, use --env.');
    if (options.headerEnv !== undefined && options.headerEnv.length > 0)
      return problem('--header-env requires a URL. For a command, use --env.');
    if (!words.every(hasNoNul)) return problem('The command contains a NUL character.');
    const env = variables(options.env ?? [], environment);
    if ('problem' in env) return problem(env.problem);
    const cwd = options.cwd === undefined ? undefined : resolve(folder, options.cwd);
    if (cwd !== undefined && !isFolder(cwd)) return problem(`--cwd: no such folder: ${options.cwd}`);
    return { ok: true, wrapped: { name, server: { command: first, args: others, env: env.values, cwd, ...isolation } } };
  }
  if (options.env !== undefined && options.env.length > 0) return problem('--env requires a command. For a URL, use --header.');
  if (options.cwd !== undefined) return problem('--cwd requires a command.');
  if (others.length > 0) return problem('Unexpected argument after the URL. Options go before it.');
  if (!URL.canParse(first)) return problem('Invalid URL. Use one such as https://example.org/mcp.');
  if (hasCredentials(first)) return problem(`${HAS_CREDENTIALS} Use --header.`);
  const headers = headersOf(options.header ?? [], environment);
  if ('problem' in headers) return problem(headers.problem);
  const held = headersFromEnv(options.headerEnv ?? [], environment);
  if ('problem' in held) return problem(held.problem);
  return { ok: true, wrapped: { name, server: { url: first, headers: { ...headers.values, ...held.values }, ...isolation } } };
}

/** Told apart from a command as `surface` does. */
function isUrl(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // a name that no file can have
    return false;
  }
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

/** Unlike `--header`, the value is taken as it is: it may hold what looks like a variable. */
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
