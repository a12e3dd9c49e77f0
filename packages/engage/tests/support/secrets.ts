/** Hunts a secret in every form that it could have been left in. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';

/** The forms of a secret that a text holds; none, if all is well. */
export function tracesOf(secret: string, text: string): string[] {
  return Object.keys(placesOf(secret, text));
}

/** The same, each with what stands around it. */
export function placesOf(secret: string, text: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(secret);
  const forms = {
    raw: secret,
    base64: bytes.toString('base64').replace(/=+$/, ''),
    base64url: bytes.toString('base64url'),
    hex: bytes.toString('hex'),
    url: encodeURIComponent(secret),
    json: JSON.stringify(secret).slice(1, -1),
    'base64 amid more': insideBase64(bytes, 1),
    'base64 amid more still': insideBase64(bytes, 2),
  };
  const searched = text.toLowerCase();
  return Object.fromEntries(
    Object.entries(forms).flatMap(([name, form]) => {
      const at = searched.indexOf(form.toLowerCase());
      return at === -1 ? [] : [[name, text.slice(Math.max(0, at - 200), at + form.length + 50)]];
    }),
  );
}

/** What base64 has of a secret that some bytes stand before, as a name does in basic authentication: without its ends, which are theirs, too. */
function insideBase64(secret: Buffer, before: 1 | 2): string {
  return Buffer.concat([Buffer.alloc(before), secret])
    .toString('base64')
    .replace(/=+$/, '')
    .slice(before + 1, -1);
}

/** Everything that is in the files of a folder, and their names. */
export async function everythingIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map(async (file) => `${file}\n${await readFile(file, 'latin1')}`));
  return contents.join('\n');
}

/** Everything that someone who logs a value could write. */
export function everythingOf(value: unknown): string {
  const shown = inspect(value, { depth: Infinity, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null });
  return value instanceof Error
    ? `${shown}\n${value.message}\n${value.stack}\n${JSON.stringify(value)}\n${everythingOf(value.cause)}`
    : shown;
}
