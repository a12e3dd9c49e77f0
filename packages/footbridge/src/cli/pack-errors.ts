/** Locates the error in a pack that cannot be loaded. */
import { execFile } from 'node:child_process';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first line of the report on an error: `file:///pack.mjs:3`. */
const AT_THE_TOP = /^(\S[^\n]*):(\d+)\n/;
const CHECK_TIMEOUT_MS = 5000;

/** `file:line: ` with the file relative to `folder`; empty if unknown. */
export async function placeOfError(cause: unknown, url: string, folder: string): Promise<string> {
  if (!(cause instanceof Error)) return '';
  const stack = cause.stack ?? '';
  const frame = innermostFrame(stack);
  const isSyntax = cause instanceof SyntaxError && frame === undefined;
  const found = AT_THE_TOP.exec(stack) ?? (isSyntax ? AT_THE_TOP.exec(await reportOf(url)) : frame);
  const [, file = '', line = ''] = found ?? [];
  if (file === '') return '';
  const path = file.startsWith('file:') && URL.canParse(file) ? fileURLToPath(file) : file;
  return `${relative(folder, path)}:${line}: `;
}

/** The first frame with a file: the whole frame, its file and its line. */
function innermostFrame(stack: string): readonly string[] | undefined {
  const frame = stack.split(/[\s()]+/).find((word) => word.startsWith('file://'));
  const [line, column] = frame?.split(':').slice(-2) ?? [];
  if (frame === undefined || line === undefined || column === undefined || !/^\d+$/.test(line)) return undefined;
  return [frame, frame.slice(0, -(line.length + column.length + 2)), line];
}

/**
 * Node reports the position of a syntax error only if it is uncaught. Loading the module again runs nothing, because modules run only
 * if all of them parse.
 */
function reportOf(url: string): Promise<string> {
  const program = `await import(${JSON.stringify(url)})`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', program], { timeout: CHECK_TIMEOUT_MS }, (_error, _stdout, stderr) =>
      resolve(stderr.trimStart()),
    );
  });
}
