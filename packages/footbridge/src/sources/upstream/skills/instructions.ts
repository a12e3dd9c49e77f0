/** Parses a `SKILL.md` from a server. */
import { echo } from '../../../errors.js';
import type { Fields } from '../../../json.js';
import { Turns } from '../../../turns.js';
import { findFrontmatter, readFields, readPlainFields, readTyped } from '../../skills/frontmatter.js';
import { noFrontmatter, unreadableYaml } from '../../skills/notices.js';
import { type CheckedFields, checkFields, LIMITS } from '../../skills/rules.js';
import type { Notice } from '../../source.js';

export type Instructions =
  | { readonly readable: true; readonly checked: Extract<CheckedFields, { served: true }>; readonly frontmatter: Fields }
  | { readonly readable: false; readonly notice: Notice };

/** By the same rules as for local skills. */
export async function readInstructions(bytes: Uint8Array, folder: string, uri: string): Promise<Instructions> {
  const file = echo(uri);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, LIMITS.frontmatter)).toString('utf8');
  const found = findFrontmatter(head);
  if (!found.found) return { readable: false, notice: noFrontmatter(file, found.reason) };
  const library = await import('yaml');
  const turns = new Turns();
  const plain = readPlainFields(found.yaml);
  const read = plain === undefined ? readFields(found.yaml, library) : { ok: true as const, fields: plain, repaired: false };
  if (!read.ok) return { readable: false, notice: unreadableYaml(file, read) };
  const checked = checkFields(read.fields, folder, file, read.repaired);
  if (!checked.served) return { readable: false, notice: checked.notice };
  if (turns.isOver) await turns.next();
  return { readable: true, checked, frontmatter: readTyped(found.yaml, library) ?? {} };
}
