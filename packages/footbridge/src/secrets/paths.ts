/** Absolute paths of this machine. The path of a URL is no such path. */
import { PATH, START } from './marker.js';

/** Characters that end a path only where nothing of a path follows, as in `(see /etc/hosts)`. */
const INNER = String.raw`(?:[^\s"'\x60<>|\\,;:()\[\]{}/]|[,;:()\[\]{}](?=[\w./-])|\\ )`;
const SEGMENT = String.raw`[^\\/:*?"'<>|\r\n]{1,255}`;

const BEFORE_PATH =
  'at|by|for|from|in|inside|into|of|on|to|under|with|within|access|cd|chdir|lstat|mkdir|open|read|rmdir|scandir|stat|unlink|file|directory|folder|path';

const PATTERNS = [
  // Matched so that it is left unchanged; `file:` is handled below.
  String.raw`(?<url>[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'\x60<>,;]*)`,
  String.raw`${START}file:\/[^\s"'\x60<>]*`,
  String.raw`(?<=(["'\x60]))~?\/[^\s"'\x60/][^"'\x60\r\n/\\]*\/[^"'\x60\r\n\\]*(?=\2)`,
  String.raw`(?<![\w.~:/%\])}\\-])(?:~\w{0,32}\/${INNER}+(?:\/${INNER}*)*|\/${INNER}+(?:\/+${INNER}+)+\/?)`,
  String.raw`(?<=\\[nrt]|:(?!\/\/))\/${INNER}+(?:\/+${INNER}+)+\/?`,
  String.raw`${START}[A-Z]:[\\/]+(?:${SEGMENT}[\\/]+)*[^\s\\/:*?"'<>|]*`,
  String.raw`(?<![\w\\:])\\\\+[\w.$-]{1,255}\\+(?:${SEGMENT}[\\/]+)*[^\s\\/:*?"'<>|]*`,
  // One segment is a path only where a path is meant.
  String.raw`(?<=(["'\x60]))~?\/[A-Za-z_.@][^\s"'\x60/\\]+\/?(?=\3)`,
  String.raw`(?<=\b(?:${BEFORE_PATH}) |\b(?:cwd|pwd|home|dir|path|file|directory)[=:] ?)\/[A-Za-z_.@][\w.@-]{1,255}\/?(?![\w/])`,
];
const ABSOLUTE = new RegExp(PATTERNS.join('|'), 'gi');

/** `text` with each absolute path, and each `file:` URL, replaced. */
export function redactPaths(text: string): string {
  return text.replace(ABSOLUTE, (whole, url: string | undefined) => (url === undefined || /^file:/i.test(url) ? PATH : whole));
}
