/** Checks of environment variables, headers and URLs. The messages contain no values, which may be secrets. */

export const NO_VARIABLE_NAME = 'Invalid environment variable name.';
export const NO_HEADER_NAME = 'Invalid HTTP header name.';
export const NO_HEADER_VALUE = 'Invalid HTTP header value: it contains a line break, a control character or a character beyond Latin-1.';
export const HAS_NUL = 'This contains a NUL character.';
export const INVALID_URL = 'Invalid URL. Use one such as https://example.org/mcp.';
export const HAS_CREDENTIALS = 'The URL contains a user name or a password, which belong in a header.';

export function isVariableName(name: string): boolean {
  return name !== '' && !name.includes('=') && hasNoNul(name);
}

/** The operating system cuts arguments at NUL. */
export function hasNoNul(value: string): boolean {
  return !value.includes('\0');
}

export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

export function isHeaderValue(value: string): boolean {
  return /^[\t -~\u0080-\u00ff]*$/.test(value);
}

/** Also with a misspelled scheme: neither a command nor the name of a server looks like this. */
export function looksLikeUrl(word: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(word);
}

export function isHttpUrl(word: string): boolean {
  return /^https?:\/\//i.test(word) && URL.canParse(word);
}

/** `fetch` rejects such URLs. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
