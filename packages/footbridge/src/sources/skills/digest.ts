/** Digests of files, as the Skills extension writes them. */

/** `sha256:` and 64 hexadecimal digits. */
export function digestOf(content: Uint8Array | string): string {
  // Loaded when first needed: it costs a start 3 ms.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
