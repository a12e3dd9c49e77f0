/** The forms in which a secret may appear where it must not. */

/** Plain and encoded: base64 and base64url with and without padding, hexadecimal in either case, and percent-encoded. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64');
  const hex = bytes.toString('hex');
  const everyCharacter = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return [
    ...new Set([
      secret,
      base64,
      base64.replace(/=+$/, ''),
      bytes.toString('base64url'),
      ...insideBase64(bytes),
      hex,
      hex.toUpperCase(),
      encodeURIComponent(secret),
      new URLSearchParams([['', secret]]).toString().slice(1),
      everyCharacter,
      everyCharacter.toUpperCase(),
      JSON.stringify(secret).slice(1, -1),
    ]),
  ];
}

/** The part of base64 that is the same for every text that contains the secret, such as `client:secret`. */
function insideBase64(bytes: Buffer): readonly string[] {
  if (bytes.length < SHORTEST_INSIDE) return [];
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6)];
    return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(from, to));
  });
}

/** In bytes. Parts of shorter secrets would be found by chance. */
const SHORTEST_INSIDE = 12;

/** The secrets that are in a text, in any form. */
export function secretsIn(text: string, secrets: Iterable<string>): readonly string[] {
  return [...secrets].filter((secret) => formsOf(secret).some((form) => text.includes(form)));
}
