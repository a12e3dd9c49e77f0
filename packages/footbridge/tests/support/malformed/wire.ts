/** Requests that are wrong as HTTP, whatever they ask. */
import { head, type Kind, legacyMessage, modernMessage, POST_HEADERS, post, postModern } from './kind.js';

const BODY_LIMIT = 4 * 1024 * 1024;

export const WIRE_KINDS: Readonly<Record<string, Kind>> = {
  'a body of another type': {
    statuses: [415],
    make: (random) =>
      postModern(modernMessage(), {
        'content-type': random.pick(['text/plain', 'application/xml', 'application/jsonp', 'multipart/form-data; boundary=x', '', 'json']),
      }),
  },
  'a body of no type': { statuses: [415], make: (random) => post(legacyMessage({ id: random.index }), { 'content-type': undefined }) },
  'a body over the limit': {
    statuses: [413],
    make: (random) => ({
      pieces: [head('POST', '/mcp', { ...POST_HEADERS, 'content-length': String(BODY_LIMIT + random.integer(1, 1e12)) }), '{"jsonrpc":'],
    }),
  },
  'a body over the limit, in chunks': {
    statuses: [413],
    variants: 5,
    make: (random) => ({
      pieces: [
        head('POST', '/mcp', { ...POST_HEADERS, 'transfer-encoding': 'chunked' }),
        ...Array.from({ length: 66 + random.integer(0, 10) }, () => `10000\r\n${'['.repeat(0x10000)}\r\n`),
      ],
    }),
  },
  'thousands of headers': {
    statuses: [431],
    make: (random) =>
      postModern(
        modernMessage(),
        Object.fromEntries(Array.from({ length: 2500 + random.index }, (_, index) => [`x-${index}-${random.text(1, 5)}`, '1'])),
      ),
  },
  'a header that is too long': {
    statuses: [431],
    make: (random) =>
      postModern(modernMessage(), {
        [random.pick(['authorization', 'mcp-session-id', 'cookie', 'x-request-id'])]: 'a'.repeat(random.integer(17_000, 60_000)),
      }),
  },
  'another Host': {
    statuses: [403],
    make: (random) =>
      postModern(modernMessage(), {
        host: random.pick([
          `${random.text(1, 20)}.example`,
          '127.0.0.1.example.org',
          'localhost.evil',
          'evil:80',
          'a b',
          '[',
          'localhost@evil',
          '.',
        ]),
      }),
  },
  'two Hosts': {
    statuses: [400],
    make(random) {
      const { pieces } = postModern(modernMessage(), { host: undefined });
      const hosts = random.pick([
        ['localhost', 'evil.example'],
        ['evil.example', 'localhost'],
        ['localhost', 'localhost'],
      ]);
      const lines = hosts.map((host) => `Host: ${host}\r\n`).join('');
      return { pieces: pieces.map((piece, index) => (index === 0 ? String(piece).replace('\r\n', `\r\n${lines}`) : piece)) };
    },
  },
  'no Host': {
    statuses: [400, 403],
    make: (random) => ({
      pieces: [head('GET', random.pick(['/mcp', '/', '/healthz', '/sse']), { host: undefined }, random.pick(['1.1', '1.0']))],
    }),
  },
  'a page of another Origin': {
    statuses: [403],
    make: (random) =>
      postModern(modernMessage(), {
        origin: random.pick([
          'null',
          `https://${random.text(1, 20)}.example`,
          'https://localhost.evil',
          'file://',
          'chrome-extension://abc',
          'x',
          'http://',
        ]),
      }),
  },
  'a method that is none of ours': {
    statuses: [400, 405],
    make: (random) => ({
      pieces: [head(random.pick(['PUT', 'PATCH', 'TRACE', 'DELETE', 'PROPFIND', 'LOCK', 'SEARCH']), '/mcp', { 'content-length': '0' })],
    }),
  },
  'two lengths, or a length and chunks': {
    statuses: [400],
    make: (random) => ({
      pieces: [
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${random.pick([
          'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
          'Transfer-Encoding: chunked\r\nContent-Length: 40\r\n',
          'Content-Length: 4\r\nContent-Length: 5\r\n',
          'Content-Length: 4, 4\r\n',
          'Content-Length: +4\r\n',
          'Content-Length: -4\r\n',
          'Content-Length: 0x4\r\n',
          'Transfer-Encoding: chunked, identity\r\n',
          'Transfer-Encoding: xchunked\r\n',
        ])}\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      ],
    }),
  },
  'chunks of no size': {
    statuses: [400],
    make: (random) => ({
      pieces: [
        head('POST', '/mcp', { ...POST_HEADERS, 'transfer-encoding': 'chunked' }),
        `${random.pick(['zz', '-1', '0x5', 'fffffffffffffffff', ' ', '5;\n', '5\n'])}\r\n{"a":\r\n0\r\n\r\n`,
      ],
    }),
  },
  'absurd paths and queries': {
    statuses: [400, 404, 406],
    make: (random) => ({
      pieces: [
        head(
          'GET',
          random.pick([
            `/mcp?${'&'.repeat(5000)}`,
            `/mcp?${'%'.repeat(100)}`,
            '/mcp?__proto__[x]=1&constructor=2',
            `/${'../'.repeat(100)}etc/passwd`,
            '/%2e%2e/%2e%2e/etc/passwd',
            '//',
            '//evil.example/mcp',
            '///',
            '/\\evil.example',
            '/%',
            '/%ff%fe',
            '/.well-known/../../etc/passwd',
            '/.well-known/%',
            'http://[',
            'http://evil.example/mcp',
            'http://user:word@localhost/none',
            'javascript:alert(1)',
            '*',
            '?',
            '/healthz/../none',
          ]),
          {},
        ),
      ],
    }),
  },
  'no HTTP at all': {
    statuses: [400],
    make: (random) => ({
      pieces: [
        random.pick([
          `${random.text(5, 50)}\r\n\r\n`,
          'GET\r\n\r\n',
          'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n',
          'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
          '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
          'GET / HTTP/1.1\r\nHost localhost\r\n\r\n',
          'GET / HTTP/1.1\r\nHost: localhost\r\n folded: x\r\nbad\0name: y\r\n\r\n',
          'GET / HTTP/1.1\nHost: localhost\nx: \0\n\n',
          'POST /mcp HTTP/1.1\r\nHost : localhost\r\n\r\n',
        ]),
      ],
    }),
  },
  'an expectation that nobody meets': {
    statuses: [417],
    make: (random) => postModern(modernMessage(), { expect: random.pick(['200-ok', 'everything', random.text(5, 20)]) }),
  },
  'a body that ends early': {
    statuses: [400],
    make: (random) => {
      const { pieces } = postModern(modernMessage(), { 'content-length': String(random.integer(1000, 4_000_000)) });
      return { pieces, end: true };
    },
  },
};
