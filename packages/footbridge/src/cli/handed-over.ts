/** What can be handed to a server, as a variable of its environment or as a header. Told without the values, which may be secrets. */

export const NO_VARIABLE_NAME = 'This is no name of an environment variable.';
export const NO_HEADER_NAME = 'This is no name of an HTTP header.';
export const NO_HEADER_VALUE = 'This cannot be in an HTTP header: it has a line break, a control character, or one beyond Latin-1.';
export const HAS_NUL = 'This has a NUL character in it.';
export const HAS_CREDENTIALS = 'This URL has a name or a password in it, which belong into a header.';

export function isVariableName(name: string): boolean {
  return name !== '' && !name.includes('=') && hasNoNul(name);
}

/** No program can be given more than what is before such a character. */
export function hasNoNul(value: string): boolean {
  return !value.includes('\0');
}

export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

export function isHeaderValue(value: string): boolean {
  return /^[\t -~\u0080-\u00ff]*$/.test(value);
}

/** `fetch` takes no such URL. What is no URL has none. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
