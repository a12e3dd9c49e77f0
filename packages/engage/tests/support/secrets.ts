/** Searches for a secret in all its encodings. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';

/** The encodings of a secret that a text contains. */
export function tracesOf(secret: string, text: string): string[] {
  return Object.keys(occurrencesOf(secret, text));
}

/** The same, each with its surrounding text. */
export function occurrencesOf(secret: string, text: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(secret);
  const forms = {
    raw: secret,
    base64: bytes.toString('base64').replace(/=+$/, ''),
    base64url: bytes.toString('base64url'),
    hex: bytes.toString('hex'),
    url: encodeURIComponent(secret),
    json: JSON.stringify(secret).slice(1, -1),
    'base64 at offset 1': insideBase64(bytes, 1),
    'base64 at offset 2': insideBase64(bytes, 2),
  };
  const searched = text.toLowerCase();
  return Object.fromEntries(
    Object.entries(forms).flatMap(([name, form]) => {
      const at = searched.indexOf(form.toLowerCase());
      return at === -1 ? [] : [[name, text.slice(Math.max(0, at - 200), at + form.length + 50)]];
    }),
  );
}

/** The part of the base64 text that depends only on the secret, if some bytes precede it, as in basic authentication. */
function insideBase64(secret: Buffer, before: 1 | 2): string {
  return Buffer.concat([Buffer.alloc(before), secret])
    .toString('base64')
    .replace(/=+$/, '')
    .slice(before + 1, -1);
}

/** The names and contents of all files in a folder. */
export async function allFileContents(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map(async (file) => `${file}\n${await readFile(file, 'latin1')}`));
  return contents.join('\n');
}

/** Everything that logging a value could print. */
export function inspectAll(value: unknown): string {
  const shown = inspect(value, { depth: Infinity, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null });
  return value instanceof Error
    ? `${shown}\n${value.message}\n${value.stack}\n${JSON.stringify(value)}\n${inspectAll(value.cause)}`
    : shown;
}
