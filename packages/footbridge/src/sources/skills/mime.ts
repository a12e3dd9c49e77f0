/** MIME types of a skill's files, by extension, else by content. */
import { Mime } from 'mime/lite';
import standardTypes from 'mime/types/standard.js';
import { decodeText } from '../../text.js';

// Types of files in skills where the registry has another or an uncommon one.
const SKILL_TYPES: Record<string, string[]> = {
  'text/typescript': ['ts', 'tsx', 'mts', 'cts'],
  'text/x-python': ['py', 'pyi'],
  'application/x-sh': ['sh', 'bash', 'zsh'],
  'application/yaml': ['yaml', 'yml'],
  'application/toml': ['toml'],
  'text/x-ruby': ['rb'],
  'text/x-go': ['go'],
  'text/x-rust': ['rs'],
  'text/x-java-source': ['java'],
  'text/x-c': ['c', 'h', 'cc', 'cpp', 'hpp'],
  'application/sql': ['sql'],
  'text/plain': ['txt', 'text', 'log', 'ini', 'conf', 'cfg', 'env', 'tmpl', 'lock'],
};

const types = new Mime(standardTypes).define(SKILL_TYPES, true);

/** The type for a file's extension; undefined for an unknown one. */
export function mimeTypeOfName(name: string): string | undefined {
  return types.getType(name) ?? undefined;
}

/** The type of a file by its name, else by its bytes: text is `text/plain`. */
export function mimeTypeOf(name: string, bytes: Uint8Array): string {
  return mimeTypeOfName(name) ?? (decodeText(bytes) === undefined ? 'application/octet-stream' : 'text/plain');
}
