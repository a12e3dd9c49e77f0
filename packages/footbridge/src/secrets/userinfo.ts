/** The user and password of a URL, of a data source name of Go, and of a command line. */
import { REDACTED } from './marker.js';

const WITH_USERINFO = /([a-z][a-z0-9+.-]{0,30}:\/\/)(.*)$/is;
/** `user:` of a URL; a number after the colon is a port. */
const USER_AND_COLON = /^[^/?#:@]*:(?!\d{1,5}(?:[/?#]|$))/;

/** The same with blanks in the password. */
const WITH_BLANKS =
  /([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s:/?#@"'<>]{0,80}:(?!\d{1,5}[\s/?#,;.)])[^\s/@"'<>]{1,80}(?:[ \t]{1,4}[^\s/@"'<>]{1,80}){1,3}(?=@[\w[])/gi;
/** `-u bob:password`; two numbers are ids of a user and a group. */
const USER_FLAG = /(?<![\w-])((?:-[uU]|--(?:proxy-)?user)(?:[ \t]{1,4}|=|\\*["'],[ \t]?)(\\*["'])?[^\s:"'\\]{0,80}:)(?!\d{1,9}(?!\S))/g;
const PASSWORD_IN_QUOTES = /[^"'\\\r\n]+/y;
const PASSWORD_BARE = /[^\s"'\\]+/y;
/** `bob:password@tcp(host:3306)/db` */
const DATA_SOURCE = /@(?:tcp|udp|unix|pipe)\w{0,8}\(/;

/** `text` with what stands before the `@` of a host replaced, and the password after a user's name. */
export function redactUserinfo(text: string): string {
  return redactChunks(redactUserFlags(text.replace(WITH_BLANKS, `$1${REDACTED}`)));
}

function redactUserFlags(text: string): string {
  let shown = '';
  let done = 0;
  for (const { index, 0: whole, 2: quote } of text.matchAll(USER_FLAG)) {
    const start = index + whole.length;
    const password = quote === undefined ? PASSWORD_BARE : PASSWORD_IN_QUOTES;
    password.lastIndex = start;
    const length = password.exec(text)?.[0].replace(/[).,;]+$/, '').length ?? 0;
    if (start < done || length === 0) continue;
    shown += `${text.slice(done, start)}${REDACTED}`;
    done = start + length;
  }
  return shown + text.slice(done);
}

function redactDataSource(chunk: string): string {
  const at = chunk.search(DATA_SOURCE);
  const colon = chunk.indexOf(':');
  if (colon === -1 || colon > at) return chunk;
  const before = /^.*['`=(,;]/s.exec(chunk.slice(0, colon))?.[0] ?? '';
  return `${before}${REDACTED}${chunk.slice(at)}`;
}

function redactChunks(text: string): string {
  return text.replace(/[^\s"<>]+/g, (found) => {
    const chunk = redactDataSource(found);
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
