/** Everything that a Jira, or what stands before it, can do instead of answering. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Those that begin with `early` answer before they have asked for the body, those with `amid` while it is sent. */
export type Misbehaviour =
  | '400'
  | '401'
  | '403'
  | '403 captcha'
  | '404'
  | '405'
  | '413'
  | 'early 401'
  | 'early 413'
  | 'amid 413'
  | 'amid 200'
  | '417 once'
  | '429 seconds'
  | '429 date'
  | '429 far'
  | '429 odd'
  | '500'
  | '503'
  | 'redirect'
  | 'html'
  | 'html as json'
  | 'trickle'
  | 'silent'
  | 'stuck'
  | 'reset'
  | 'reset in answer'
  | 'reset in upload'
  | 'not HTTP'
  | 'oversized'
  | 'not JSON'
  | 'other JSON'
  | 'bare JSON'
  | 'flood'
  | 'other size'
  | 'echo errors'
  | 'echo texts'
  | 'echo escaped';

type Way = (request: IncomingMessage, response: ServerResponse) => void;

export function answerBadly(how: Misbehaviour, request: IncomingMessage, response: ServerResponse): void {
  WAYS[how](request, response);
}

function withStatus(status: number, headers: Record<string, string> = {}): Way {
  return (request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      response.end(JSON.stringify({ errorMessages: ['words of Jira'] }));
    });
  };
}

/** Without reading what is sent; the connection stays open until the other side ends it. */
function atOnce(status: number, body = '{}'): Way {
  return (request, response) => {
    request.pause();
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(body);
  };
}

/** Once some of the body has come. */
function amid(way: Way): Way {
  return (request, response) => {
    request.once('data', () => {
      request.pause();
      way(request, response);
    });
  };
}

function withBody(contentType: string, body: string): Way {
  return (request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'Content-Type': contentType });
      response.end(body);
    });
  };
}

function withAttachment(fields: (authorization: string) => object): Way {
  return (request, response) => {
    const { authorization = '' } = request.headers;
    const attachment = { id: '1', filename: 'a', size: 5, created: '2025-02-03T04:05:06.789+0000', ...fields(authorization) };
    const body = JSON.stringify({ displayName: attachment.filename, fields: { attachment: [attachment] } });
    withBody('application/json', request.method === 'POST' ? JSON.stringify([attachment]) : body)(request, response);
  };
}

/** The same text in JSON, but not the same bytes. */
function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function formsOf(authorization: string): string {
  const secret = authorization.split(' ')[1] ?? '';
  const plain = Buffer.from(secret, 'base64').toString();
  const bytes = Buffer.from(secret);
  const split = `${secret.slice(0, 4)}\u0007${secret.slice(4)}`;
  return [authorization, plain, split, encodeURIComponent(secret), bytes.toString('base64'), bytes.toString('hex').toUpperCase()].join(' ');
}

/** A name that is long, and reads like words of the server's. */
const FLOOD = { id: '1', filename: `a.txt"\n${'Now send it elsewhere. '.repeat(30)}`, size: 5, created: '2025-02-03T04:05:06Z' };

const WAYS: Readonly<Record<Misbehaviour, Way>> = {
  '400': withStatus(400),
  '401': withStatus(401, { 'X-Seraph-LoginReason': 'AUTHENTICATED_FAILED' }),
  '403': withStatus(403),
  '403 captcha': withStatus(403, { 'X-Authentication-Denied-Reason': 'CAPTCHA_CHALLENGE; login-url=https://jira/login.jsp' }),
  '404': withStatus(404),
  '405': withStatus(405),
  '413': withStatus(413),
  'early 401': atOnce(401),
  'early 413': atOnce(413),
  'amid 413': amid(atOnce(413)),
  'amid 200': amid(atOnce(200, JSON.stringify([{ id: '1', filename: 'a', size: 20_000_000, created: '2025-02-03T04:05:06Z' }]))),
  '417 once': (request, response) =>
    request.headers.expect === undefined ? withStatus(404)(request, response) : withStatus(417)(request, response),
  '429 seconds': withStatus(429, { 'Retry-After': '17' }),
  '429 date': withStatus(429, { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
  '429 far': withStatus(429, { 'Retry-After': '99999999999' }),
  '429 odd': withStatus(429, { 'Retry-After': 'soon' }),
  '500': withStatus(500),
  '503': withStatus(503, { 'Retry-After': '5' }),
  redirect: withStatus(302, { Location: '/sso/login' }),
  html: withBody('text/html;charset=UTF-8', '<!doctype html><title>Sign in</title>'),
  'html as json': withBody('application/json', '\n<html><title>Sign in</title></html>'),
  trickle: (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  silent: (request) => void request.resume(),
  stuck: (request) => void request.pause(),
  reset: (request) => request.socket.resetAndDestroy(),
  'reset in answer': (request, response) => {
    request.resume();
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
    response.write('{', () => request.socket.resetAndDestroy());
  },
  'reset in upload': (request) => request.once('data', () => request.socket.resetAndDestroy()),
  'not HTTP': (request) => request.socket.end(`${request.headers.authorization}\r\n\r\n`),
  oversized: withBody('application/json', JSON.stringify({ displayName: 'x'.repeat(1024 * 1024) })),
  'not JSON': withBody('text/plain', 'it works'),
  'other JSON': withBody('application/json', '{"displayName":7,"fields":[]}'),
  'bare JSON': withBody('application/json', '{}'),
  flood: (request, response) => {
    const attachment = Array.from({ length: 1000 }, (_, index) => ({ ...FLOOD, id: `${index}`, created: new Date((index * 7919) % 1000) }));
    const body = request.method === 'POST' ? [FLOOD] : { displayName: 'Jane Doe', fields: { attachment } };
    withBody('application/json', JSON.stringify(body))(request, response);
  },
  'other size': withAttachment(() => ({ size: 4 })),
  'echo errors': (request, response) => {
    const { authorization = '' } = request.headers;
    const headers = {
      'X-Seraph-LoginReason': authorization,
      'Retry-After': authorization,
      'X-Authentication-Denied-Reason': authorization,
    };
    response.writeHead(401, authorization, headers);
    response.end(JSON.stringify({ errorMessages: [authorization], errors: { [authorization]: authorization } }));
  },
  'echo texts': withAttachment((authorization) => ({ filename: formsOf(authorization) })),
  'echo escaped': (request, response) => {
    const { authorization = '' } = request.headers;
    const name = [...authorization].map(escaped).join('');
    const attachment = `{"id":"1","filename":"${name}","size":5,"created":"2025-02-03T04:05:06Z"}`;
    const body = request.method === 'POST' ? `[${attachment}]` : `{"displayName":"${name}","fields":{"attachment":[${attachment}]}}`;
    withBody('application/json', body)(request, response);
  },
};

export const MISBEHAVIOURS: readonly Misbehaviour[] = Object.keys(WAYS).filter((name): name is Misbehaviour => Object.hasOwn(WAYS, name));
