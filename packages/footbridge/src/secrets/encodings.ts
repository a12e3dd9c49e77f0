/** The encodings in which a server or a log may repeat a secret. */

/** Of all these secrets, the longest first, since one form may be part of another. */
export function encodingsOf(secrets: Iterable<string>): readonly string[] {
  const forms = [...secrets].flatMap((secret) => {
    const bytes = Buffer.from(secret);
    const base64 = bytes.toString('base64');
    const inBase64 = [base64, base64.replace(/={1,2}$/, ''), encodeURIComponent(base64), bytes.toString('base64url')];
    return [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1), ...inBase64, bytes.toString('hex')];
  });
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}
