/** Every problem that the program can report, from its sources: names of rules, and messages with `…` for the variable parts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { repository } from './documents.js';

const SOURCE = join(repository, 'packages', 'footbridge', 'src');

interface Module {
  /** From `src` on, `/`-separated. */
  readonly path: string;
  readonly text: string;
}

const MODULES: readonly Module[] = readdirSync(SOURCE, { withFileTypes: true, recursive: true })
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ path: relative(SOURCE, file).split(sep).join('/'), text: readFileSync(file, 'utf8') }));

/** The text of each module whose path matches. */
function textsOf(where: RegExp): string[] {
  return MODULES.filter(({ path }) => where.test(path)).map(({ text }) => text);
}

/** The first group of each match of a pattern. */
function found(where: RegExp, pattern: RegExp): string[] {
  return textsOf(where).flatMap((text) => [...text.matchAll(pattern)].map(([, group = '']) => group));
}

const ANYWHERE = /./;

/** The codes of the errors that reach a host. */
export function errorCodes(): string[] {
  return found(/^errors\.ts$/, /^ {2}\| '([A-Z]\w+)'/gm);
}

/** The names of the rules that a notice can have. */
export function rules(): string[] {
  const made = found(ANYWHERE, /\b(?:error|lost|report|skipped|warn)\(\s*(?:[a-z]+,\s*|'(?:error|warning)',\s*)?'([a-z]+(?:-[a-z]+)*)'/g);
  return unique([...found(ANYWHERE, /\brule: '([a-z-]+)'/g), ...made]);
}

/** The codes that `doctor` has besides the rules of skills. */
export function doctorCodes(): string[] {
  const ofSkills = rules();
  return unique(found(/^cli\/doctor\/codes\.ts$/, /^ {2}'?([a-z-]+)'?: \{/gm).filter((code) => !ofSkills.includes(code)));
}

/** The warnings and errors of the log. */
export function logged(): string[] {
  return unique(messagesAfter(ANYWHERE, /(?:\b(?:log|#log)|logTo\([^)]*\))\.(?:warn|error)\(\s*/g));
}

/** Rejections over HTTP: status and message. */
export function refusals(): string[] {
  const many = messagesAfter(/^serve\/http\//, /tooMany\([^,]+,\s*'[a-z]+',\s*/g).map((message) => `429 ${message}`);
  return unique([...messagesAfter(/^serve\//, /new Refusal\(\s*(\d{3}),\s*/g), ...many]);
}

/** Error messages of commands, by the heading that documents them. */
export function failures(): readonly (readonly [heading: string, messages: readonly string[]])[] {
  const thrown =
    /(?:new (?:(?!CommandError)\w*Error|SyncRefusal)|(?:program|command)\.error|complain|refused|problem|reasons\.push)\(\s*|problem: /g;
  const places: Readonly<Record<string, RegExp>> = {
    '## Starting': /^cli\/(?:main|packs|commands\/serve|serve-http|config\/load)\.ts$/,
    '### `wrap`': /^cli\/wrapped-server\.ts$/,
    '### `install` and `uninstall`': /^cli\/install\/(?!text\/).*\.ts$/,
    '### `sync`': /^cli\/sync\/.*\.ts$/,
    '### `init` and `dev`': /^cli\/(?:init|dev\/index|commands\/dev)\.ts$/,
    '### `lock` and `verify`': /^cli\/lock\/(?!serving).*\.ts$/,
  };
  return Object.entries(places).map(([heading, where]) => [heading, unique(messagesAfter(where, thrown))]);
}

/** Whether the source has each part of a message, in one module. */
export function isSaid(message: string): boolean {
  const parts = message.split('…').map((part) => part.trim());
  return MODULES.some(({ text }) => {
    const plain = text.replaceAll('\\`', '`').replaceAll('\\$', '$');
    return parts.every((part) => plain.includes(part));
  });
}

/** The literals that follow a pattern, after what its group holds. */
function messagesAfter(where: RegExp, pattern: RegExp): string[] {
  return textsOf(where).flatMap((text) =>
    [...text.matchAll(pattern)].flatMap(({ 0: begin, 1: before, index }) => {
      const message = literalAt(text, index + begin.length);
      return message === undefined || !/\p{L}/u.test(message) ? [] : [before === undefined ? message : `${before} ${message}`];
    }),
  );
}

/** The text of a literal that begins at a place, its first line; undefined where there is none. */
function literalAt(text: string, begin: number): string | undefined {
  const quote = text.charAt(begin);
  if (!["'", '"', '`'].includes(quote)) return undefined;
  let message = '';
  for (let at = begin + 1; text.charAt(at) !== quote; at++) {
    if (quote === '`' && text.startsWith('${', at)) {
      at = endOfPart(text, at + 2);
      message += '…';
    } else if (text.charAt(at) === '\\') message += text.charAt(++at) === 'n' ? '\n' : text.charAt(at);
    else message += text.charAt(at);
  }
  return message.split('\n')[0];
}

/** Where the brace closes that opened before `begin`. */
function endOfPart(text: string, begin: number): number {
  let depth = 1;
  let at = begin;
  for (; depth > 0; at++) {
    const character = text.charAt(at);
    if (character === '{') depth++;
    if (character === '}') depth--;
  }
  return at - 1;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}
