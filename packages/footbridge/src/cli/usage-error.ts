/** Rewords commander's errors like our own messages: what is wrong, then what to do. */

const REWORDED: readonly (readonly [RegExp, string])[] = [
  [/^too many arguments for 'serve'\. .*$/, "'serve' takes no arguments. Name a skill folder with: --skills <dir>"],
  [/^option '([^']*)' argument missing$/, "Option '$1' requires a value."],
  [/^too many arguments for '(.*)'\. Expected 0 arguments but got \d+\.$/, "'$1' takes no arguments."],
  [/^too many arguments for '(.*)'\. Expected (\d+ arguments?) but got (\d+)\.$/, "'$1' takes $2 at most, but got $3."],
  [/^too many arguments\. .*$/, 'Too many arguments.'],
];

/** One line of an error of commander as a sentence. */
export function usageSentence(text: string): string {
  const bare = text.replace(/^\((.*)\)$/, '$1');
  const reworded = invalidValue(bare) ?? REWORDED.reduce((line, [pattern, words]) => line.replace(pattern, words), bare);
  const capitalized = reworded.replace(/^(?:missing|option|unknown)\b/, (word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  const choices = capitalized.replace('Allowed choices are ', 'Use one of: ');
  const isCommandToCopy = /: footbridge\b/.test(choices);
  return `${choices}${/[\p{L}\d'")\]]$/u.test(choices) && !isCommandToCopy ? '.' : ''}`;
}

const OPTION = /^option '(?:-\w, )?(--[\w-]+)/;
const VALUE = "' argument '";
const ARGUMENT = "command-argument value '";

/** `option '-p, --port <port>' argument '7x' is invalid. Reason.`, or the same of an argument; the value may contain anything. */
function invalidValue(text: string): string | undefined {
  const option = OPTION.exec(text)?.[1];
  const start = option === undefined ? text.indexOf(ARGUMENT) + ARGUMENT.length : text.indexOf(VALUE) + VALUE.length;
  const closing = option === undefined ? "' is invalid for argument '" : "' is invalid. ";
  const end = text.lastIndexOf(closing);
  if (end < start) return undefined;
  const value = text.slice(start, end);
  const rest = text.slice(end + closing.length);
  if (option !== undefined) return `Invalid value '${value}' for ${option}. ${rest}`;
  const [name, ...reason] = rest.split("'. ");
  return `Invalid value '${value}' for <${name}>. ${reason.join("'. ")}`;
}
