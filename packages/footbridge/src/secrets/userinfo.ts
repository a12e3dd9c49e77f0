/** The user and password of a URL. */
import { REDACTED } from './marker.js';

const WITH_USERINFO = /([a-z][a-z0-9+.-]{0,30}:\/\/)(.*)$/is;
/** `user:` of a URL; a number after the colon is a port. */
const USER_AND_COLON = /^[^/?#:@]*:(?!\d{1,5}(?:[/?#]|$))/;

/** `text` with what stands before the `@` of a URL's host replaced. */
export function redactUserinfo(text: string): string {
  return text.replace(/[^\s"<>]+/g, (chunk) => {
    const at = chunk.lastIndexOf('@');
    const url = at === -1 ? null : WITH_USERINFO.exec(chunk.slice(0, at));
    if (url === null) return chunk;
    const [whole, scheme = '', rest = ''] = url;
    const before = chunk.slice(0, at - whole.length);
    // A password may hold `/`, `?`, `#` and `@` unescaped, so with one all goes up to the last `@`.
    if (USER_AND_COLON.test(rest)) return `${before}${scheme}${REDACTED}${chunk.slice(at)}`;
    const host = chunk.slice(before.length + scheme.length).split(/[/?#]/, 1)[0] ?? '';
    const user = host.lastIndexOf('@');
    if (user === -1) return chunk;
    return `${before}${scheme}${REDACTED}${chunk.slice(before.length + scheme.length + user)}`;
  });
}
