/** Words the errors of commander as our own messages are worded: what is wrong, then what to do. */

const REWORDED: readonly (readonly [RegExp, string])[] = [
  [/^option '([^']*)' argument missing$/, "Option '$1' requires a value."],
  [/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/s, "Invalid value '$2' for $1. $3"],
  [/^command-argument value '(.*)' is invalid for argument '([^']*)'\. (.*)$/s, "Invalid value '$1' for <$2>. $3"],
  [/^too many arguments for '(.*)'\. Expected 0 arguments but got \d+\.$/, "'$1' takes no arguments."],
  [/^too many arguments for '(.*)'\. Expected (\d+ arguments?) but got (\d+)\.$/, "'$1' takes $2 at most, but got $3."],
  [/^too many arguments\. .*$/, 'Too many arguments.'],
];

/** One line of an error of commander as a sentence. */
export function usageSentence(text: string): string {
  const bare = text.replace(/^\((.*)\)$/, '$1');
  const reworded = REWORDED.reduce((line, [pattern, words]) => line.replace(pattern, words), bare);
  const capitalized = reworded.replace(/^(?:missing|option|unknown)\b/, (word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  const choices = capitalized.replace(/Allowed choices are (.*)\.$/, 'Use one of: $1.');
  const isCommandToCopy = /: footbridge\b/.test(choices);
  return `${choices}${/[\p{L}\d'")\]]$/u.test(choices) && !isCommandToCopy ? '.' : ''}`;
}
