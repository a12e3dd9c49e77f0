/** The forms in which a secret may appear where it must not. */

/** As it is, and encoded: base64 and base64url with and without padding, hexadecimal in either case, and for URLs. */
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

/** The secrets that are in a text, in any form. */
export function secretsIn(text: string, secrets: Iterable<string>): readonly string[] {
  return [...secrets].filter((secret) => formsOf(secret).some((form) => text.includes(form)));
}
