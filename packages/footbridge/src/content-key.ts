/** A non-cryptographic hash of a version. Collisions are rare, but can be forced. */
export function contentKey(identity: string, version: string): number {
  let one = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (const text of [identity, '\n', version]) {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 0x01000193);
      other = Math.imul(other ^ code, 0x85ebca6b);
      other ^= other >>> 13;
    }
  }
  return (one >>> 0) * 2 ** 21 + (Math.imul(other, 0xc2b2ae35) >>> 11);
}
