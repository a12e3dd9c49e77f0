/** Formats the help: commands in groups, the options that apply, and examples that fit the terminal. */
import { type Command, Help, type Option } from 'commander';
import { NO_DEFAULT } from './arguments.js';
import { DEFAULT_COLUMNS, type Io } from './io.js';
import { type Columns, commandText, fitted, widthOf } from './layout.js';

/** The width of the help. Into a pipe, that of a common terminal. */
export function helpColumns(io: Io): number {
  return io.columns ?? DEFAULT_COLUMNS;
}

/** Fits the text of a help: examples beside their explanations if all of them fit, otherwise above. */
export function fittedHelp(text: string, columns: Columns): string {
  const lines = text.split('\n');
  const shown: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const block = examplesFrom(lines, at);
    if (block.length > 0) shown.push(...beside(block, columns));
    else shown.push(fitted(paragraphFrom(lines, at).join(' '), columns));
    at += block.length > 0 ? block.length : paragraphFrom(lines, at).length;
  }
  return shown.join('\n');
}

/** Lines without an indent belong together, and are wrapped again. */
function paragraphFrom(lines: readonly string[], start: number): readonly string[] {
  const isText = (line: string | undefined) => line !== undefined && /^\S/.test(line) && !line.endsWith(':');
  let end = start + 1;
  if (isText(lines[start])) while (isText(lines[end])) end++;
  return lines.slice(start, end);
}

interface Example {
  readonly command: string;
  readonly explanation: string;
}

function examplesFrom(lines: readonly string[], start: number): readonly Example[] {
  const found: Example[] = [];
  for (const line of lines.slice(start)) {
    if (!line.startsWith('  $ ')) break;
    // Two blanks separate the command from its explanation.
    const gap = line.indexOf('  ', 2);
    found.push(
      gap === -1 ? { command: line.slice(2), explanation: '' } : { command: line.slice(2, gap), explanation: line.slice(gap).trim() },
    );
  }
  return found;
}

function beside(examples: readonly Example[], columns: Columns): string[] {
  const widest = Math.max(...examples.map(({ command }) => command.length));
  const fits = columns === undefined || examples.every(({ explanation }) => 4 + widest + widthOf(explanation) <= columns);
  return examples.flatMap(({ command, explanation }) => {
    if (fits && explanation !== '') return [`  ${command.padEnd(widest)}  ${explanation}`];
    return [commandText('  ', command, columns), ...(explanation === '' ? [] : [fitted(`      ${explanation}`, columns)])];
  });
}

/** What an option does, with its default if it has one. */
export function optionText(option: Option): string {
  return new Help().optionDescription(option).replace(` (default: ${NO_DEFAULT})`, '');
}

/** A command in a list of commands: nearly all have options, so these are not mentioned. */
export function commandTerm(command: Command): string {
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...names].join(' ');
}

/** The options of `footbridge` that a command uses. The others are accepted, since hosts pass them everywhere, but not shown. */
const CATALOG = ['--skills', '--config', '--pack', '--log-level'];
const SERVING = [...CATALOG, '--prompts', '--host-profile'];
const APPLICABLE: Readonly<Record<string, readonly string[]>> = {
  serve: SERVING,
  wrap: SERVING,
  list: CATALOG,
  show: CATALOG,
  read: CATALOG,
  search: CATALOG,
  lint: ['--skills', '--config'],
  surface: [...CATALOG, '--prompts'],
  lock: CATALOG,
  verify: CATALOG,
  doctor: ['--skills', '--config', '--pack'],
  install: ['--skills', '--config', '--pack', '--prompts'],
  init: ['--skills', '--config'],
  sync: CATALOG,
  dev: ['--prompts', '--log-level'],
  login: ['--config'],
  logout: ['--config'],
  token: ['--config'],
  'token list': ['--config'],
  'token revoke': ['--config'],
  ...Object.fromEntries(['add', 'remove', 'outdated', 'update', 'fetch'].map((name) => [name, ['--config']])),
};

export function applicableOptions(command: Command): Option[] {
  const path = [command.name()];
  const inherited: Option[] = [];
  for (let above = command.parent; above !== null; above = above.parent) {
    if (above.parent !== null) path.unshift(above.name());
    inherited.push(...above.options);
  }
  const names = APPLICABLE[path.join(' ')];
  return inherited.filter((option) => names?.includes(option.long ?? '') === true);
}
