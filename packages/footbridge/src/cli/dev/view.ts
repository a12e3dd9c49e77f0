/** The output of `dev`: text, or one JSON object per line. */
import type { Notice } from '../../sources/source.js';
import { shorten } from '../../surfaces/text.js';
import type { Io } from '../io.js';
import { commandText, hanging } from '../layout.js';
import { shortPath } from '../skill-problems.js';
import { grouped, plain, plural, visibleJson } from '../terminal.js';
import type { Call } from './calls.js';
import type { News, Review, SkillState } from './review.js';

export interface Serving {
  readonly endpoint: string;
  /** As given on the command line. */
  readonly folder: string;
  readonly review: Review;
}

export interface View {
  serving(serving: Serving): void;
  call(call: Call): void;
  news(news: News): void;
  stopped(): void;
}

/** Name of the server in the suggested host configuration. */
const NAME = 'footbridge-dev';
const LONGEST_CLIENT = 20;
const LONGEST_ARGUMENTS = 120;
const SHORTEST_ARGUMENTS = 24;
const LONGEST_ERROR = 200;
/** Width of the time and its gap. */
const INDENT = ' '.repeat(10);

export function textView(io: Io): View {
  const { colors } = io;
  const sums = new Sums();
  return {
    serving(serving) {
      io.print(banner(serving, io));
    },
    call(call) {
      sums.add(call);
      io.print(callLine(call, io));
    },
    news(news) {
      const now = colors.dim(timeOf(new Date()));
      if (news.kind === 'removed') io.print(`${now}  ${colors.yellow('gone')} ${colors.bold(plain(news.name))}  no longer served`);
      else if (news.kind === 'problem') io.print(problemLines(news.problem, `${now}  `, io).join('\n'));
      else io.print([`${now}  ${colors.green(news.kind)} ${skillLine(news.skill, io)}`, ...problemsOf(news.skill, INDENT, io)].join('\n'));
    },
    stopped() {
      io.print(['', sums.total(), ...sums.each()].join('\n'));
    },
  };
}

export function jsonView(io: Io): View {
  const sums = new Sums();
  const printEvent = (event: string, fields: object) => io.printExactly(visibleJson({ event, ...fields }));
  return {
    serving({ endpoint, folder, review }) {
      const skills = [...review.skills.values()].map((skill) => skillFields(skill, io));
      printEvent('serving', { url: endpoint, folder, skills, problems: review.problems.map((problem) => problemFields(problem, io)) });
    },
    call(call) {
      sums.add(call);
      const { at, client, name, error, milliseconds, bytes, tokens } = call;
      printEvent('call', {
        time: at.toISOString(),
        client,
        name,
        arguments: call.arguments,
        ok: error === undefined,
        error,
        milliseconds,
        bytes,
        tokens,
      });
    },
    news(news) {
      if (news.kind === 'removed') printEvent('skill', { change: 'removed', name: news.name });
      else if (news.kind === 'problem') printEvent('problem', problemFields(news.problem, io));
      else printEvent('skill', { change: news.kind, ...skillFields(news.skill, io) });
    },
    stopped() {
      printEvent('stopped', sums.fields());
    },
  };
}

function banner({ endpoint, folder, review }: Serving, io: Io): string {
  const { colors } = io;
  const config = JSON.stringify({ mcpServers: { [NAME]: { type: 'http', url: endpoint } } }, undefined, 1).replace(/\n */g, ' ');
  const skills = [...review.skills.values()];
  const lines = [
    `${colors.bold('Footbridge')} serves ${plural(skills.length, 'skill')} of ${plain(folder)} at ${colors.cyan(endpoint)}, reloaded after each change.`,
    '',
    'Claude Code:',
    commandText('  ', `claude mcp add --transport http ${NAME} ${endpoint}`, io.columns),
    'Inspector:',
    commandText('  ', `npx @modelcontextprotocol/inspector@2 --cli ${endpoint} --transport http --method tools/list`, io.columns),
    'Other hosts:',
    `  ${config}`,
    `In a browser, the catalog page: ${colors.cyan(new URL('/', endpoint).href)}`,
    '',
    ...skills.flatMap((skill) => [skillLine(skill, io), ...problemsOf(skill, '  ', io)]),
    ...review.problems.flatMap((problem) => problemLines(problem, '', io)),
    ...(skills.length + review.problems.length === 0 ? ['No skills yet. A new one is served as soon as it exists.'] : []),
    '',
    'Calls and changes follow. Stop with Ctrl-C.',
    '',
  ];
  return lines.join('\n');
}

function skillLine({ name, catalogueTokens, bodyTokens }: SkillState, { colors }: Io): string {
  const costs = `≈${grouped(bodyTokens)} tokens, and ≈${grouped(catalogueTokens)} in every conversation`;
  return `${colors.bold(plain(name))}  ${colors.dim(costs)}`;
}

/** One that is in several lines of a file is written once. */
function problemsOf({ problems }: SkillState, indent: string, io: Io): string[] {
  const same = new Map<string, { readonly problem: Notice; readonly lines: number[] }>();
  for (const problem of problems) {
    const { line, column: _, ...others } = problem;
    const key = JSON.stringify(others);
    const found = same.get(key) ?? { problem, lines: [] };
    if (line !== undefined) found.lines.push(line);
    same.set(key, found);
  }
  return [...same.values()].flatMap(({ lines, problem }) => problemLines(problem, indent, io, lines));
}

/** `first` is the prefix of the first line. */
function problemLines(problem: Notice, first: string, io: Io, lines = problem.line === undefined ? [] : [problem.line]): string[] {
  const { action, file, message, rule, severity } = problem;
  const { colors } = io;
  const how = severity === 'error' ? colors.red('error') : colors.yellow('warning');
  const place = `${shortPath(file, io)}${lines.length === 0 ? '' : `:${[...new Set(lines)].join(', ')}`}`;
  const indent = first.trim() === '' ? first : INDENT;
  const text = `${place}  ${plain(message)}  ${colors.dim(rule)}`;
  return [hanging(`${first}${how}  `, text, io.columns), hanging(`${indent}  `, plain(action), io.columns)];
}

function callLine({ at, client, name, error, milliseconds, bytes, tokens, ...call }: Call, { colors, columns }: Io): string {
  const who = client === undefined ? '-' : shorten(plain(client), LONGEST_CLIENT);
  const what = shorten(plain(name), LONGEST_ARGUMENTS);
  const figures = `${grouped(Math.round(milliseconds))} ms  ${plural(bytes, 'byte')}  ≈${plural(tokens, 'token')}`;
  const outcome = error === undefined ? 'ok' : `error: ${shorten(plain(error), LONGEST_ERROR)}`;
  const given = call.arguments === undefined ? '' : plain(JSON.stringify(call.arguments));
  const others = [timeOf(at), who, what, '', outcome, figures].join('  ').length;
  const room = columns === undefined ? LONGEST_ARGUMENTS : columns - others;
  const shown = shorten(given, Math.max(SHORTEST_ARGUMENTS, Math.min(LONGEST_ARGUMENTS, room)));
  const paint = error === undefined ? colors.green : colors.red;
  return [
    colors.dim(timeOf(at)),
    colors.cyan(who),
    `${colors.bold(what)}${shown === '' ? '' : ` ${shown}`}`,
    paint(outcome),
    colors.dim(figures),
  ].join('  ');
}

function timeOf(date: Date): string {
  return date.toTimeString().slice(0, 8);
}

function skillFields({ name, catalogueTokens, bodyTokens, problems }: SkillState, io: Io) {
  return {
    name,
    catalogue_tokens: catalogueTokens,
    body_tokens: bodyTokens,
    problems: problems.map((problem) => problemFields(problem, io)),
  };
}

function problemFields({ file, ...problem }: Notice, io: Io) {
  return { ...problem, file: shortPath(file, io) };
}

/** Number and cost of calls by name. */
class Sums {
  readonly #byName = new Map<string, { calls: number; tokens: number }>();
  #calls = 0;
  #tokens = 0;

  add({ name, tokens }: Call): void {
    this.#calls++;
    this.#tokens += tokens;
    const { calls, tokens: before } = this.#byName.get(name) ?? { calls: 0, tokens: 0 };
    // Clients choose the names, so their number is limited.
    if (calls > 0 || this.#byName.size < MAX_NAMES) this.#byName.set(name, { calls: calls + 1, tokens: before + tokens });
  }

  fields() {
    const by = [...this.#byName].map(([name, sum]) => ({ name, ...sum })).sort((one, other) => other.tokens - one.tokens);
    return { calls: this.#calls, tokens: this.#tokens, by };
  }

  total(): string {
    const { calls, tokens } = this.fields();
    return `${plural(calls, 'call')}, ≈${plural(tokens, 'token')}`;
  }

  each(): string[] {
    const { by } = this.fields();
    const lines = by
      .slice(0, MAX_SHOWN)
      .map(
        ({ name, calls, tokens }) =>
          `  ${shorten(plain(name), LONGEST_ARGUMENTS).padEnd(28)} ${plural(calls, 'call').padStart(10)}  ≈${plural(tokens, 'token')}`,
      );
    return by.length > MAX_SHOWN ? [...lines, `  and ${grouped(by.length - MAX_SHOWN)} more`] : lines;
  }
}

const MAX_NAMES = 1000;
const MAX_SHOWN = 30;
