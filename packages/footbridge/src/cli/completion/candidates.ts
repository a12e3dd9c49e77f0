/** What can be completed at the cursor, from commander's own definitions. */
import type { Argument, Command, Option } from 'commander';

type Candidates =
  | { readonly kind: 'words'; readonly words: readonly CompletionCandidate[] }
  | { readonly kind: 'files' | 'folders' }
  | { readonly kind: 'skills' | 'uris' | 'hosts' };

export interface CompletionCandidate {
  readonly value: string;
  /** Description, for shells that show it. */
  readonly about: string;
}

export interface Line {
  readonly candidates: Candidates;
  /** Whether a leading hyphen is literal, as after `--`. */
  readonly isLiteral: boolean;
  /** The part of the word that is not completed, such as `--log-level=`. */
  readonly prefix: string;
  /** Values of options, by long name. */
  readonly given: ReadonlyMap<string, readonly string[]>;
}

const NOTHING: Candidates = { kind: 'words', words: [] };

/** By the placeholder of an argument or option value in the help. */
const KINDS: Readonly<Record<string, Candidates>> = {
  'show name': { kind: 'skills' },
  'read uri': { kind: 'uris' },
  dir: { kind: 'folders' },
  dirs: { kind: 'folders' },
  file: { kind: 'files' },
  '--host': { kind: 'hosts' },
};

/** `before` are the words between the program and the word at the cursor. */
export function lineOf(program: Command, before: readonly string[], current: string): Line {
  const given = new Map<string, string[]>();
  let command = program;
  let position = 0;
  let waiting: Option | undefined;
  let isFed = false;
  let isLiteral = false;
  for (const word of before) {
    // A variadic option takes all words up to the next option.
    if (isFed && word.startsWith('-')) waiting = undefined;
    if (isLiteral) {
      position++;
    } else if (waiting !== undefined) {
      given.set(waiting.long ?? '', [...(given.get(waiting.long ?? '') ?? []), word]);
      isFed = waiting.variadic;
      if (!isFed) waiting = undefined;
    } else if (word === '--') {
      // The command of a server may follow.
      if (takes(command, 'server')) return { candidates: { kind: 'files' }, prefix: '', isLiteral: true, given };
      isLiteral = true;
    } else if (word.startsWith('-')) {
      const [name = '', value] = split(word);
      const option = optionsOf(command).find(({ long, short }) => long === name || short === name);
      if (value !== undefined && option !== undefined) given.set(name, [...(given.get(name) ?? []), value]);
      else if (option?.required === true) {
        waiting = option;
        isFed = false;
      }
    } else {
      const inner: Command | undefined =
        position === 0 ? command.commands.find((each) => each.name() === word || each.aliases().includes(word)) : undefined;
      // `help` is followed by the name of a command.
      if (inner === undefined && !(position === 0 && word === 'help')) position++;
      command = inner ?? command;
    }
  }
  if (waiting !== undefined && !(isFed && current.startsWith('-')))
    return { candidates: ofOption(waiting), prefix: '', isLiteral: true, given };
  const [name = '', value] = split(current);
  const option = value === undefined || isLiteral ? undefined : optionsOf(command).find(({ long }) => long === name);
  if (option !== undefined) return { candidates: ofOption(option), prefix: `${name}=`, isLiteral: true, given };
  const candidates = current.startsWith('-') && !isLiteral ? options(command) : operands(command, position);
  return { candidates, prefix: '', isLiteral, given };
}

function split(word: string): [string, string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function optionsOf(command: Command): readonly Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

function options(command: Command): Candidates {
  const words = optionsOf(command).flatMap(({ long, short, description }) => {
    const value = long ?? short;
    return value == null ? [] : [{ value, about: description }];
  });
  return { kind: 'words', words };
}

function ofOption({ argChoices, flags, long }: Option): Candidates {
  if (argChoices !== undefined) return choices(argChoices);
  return KINDS[long ?? ''] ?? KINDS[/[<[]([\w-]+)/.exec(flags)?.[1] ?? ''] ?? NOTHING;
}

function operands(command: Command, position: number): Candidates {
  if (position === 0 && command.commands.length > 0) return commands(command);
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument: Argument | undefined = registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return NOTHING;
  if (argument.argChoices !== undefined) return choices(argument.argChoices);
  return KINDS[`${command.name()} ${argument.name()}`] ?? KINDS[argument.name()] ?? NOTHING;
}

function commands(command: Command): Candidates {
  const visible = command.createHelp().visibleCommands(command);
  return { kind: 'words', words: visible.map((each) => ({ value: each.name(), about: each.description() })) };
}

function choices(values: readonly string[]): Candidates {
  return { kind: 'words', words: values.map((value) => ({ value, about: '' })) };
}

function takes(command: Command, argument: string): boolean {
  return command.registeredArguments.some((each) => each.name() === argument);
}
